int f0_0(int);
int f0_1(int);
int f0_2(int);
int f1_0(int);
int f2_0(int);
int f2_1(int);
int f2_2(int);
int f2_3(int);
int f2_4(int);
int f3_0(int);
int f3_1(int);
int f3_2(int);
int f4_0(int);
static __attribute__((noinline)) int s_0(int n) { return n ^ 0x55aa; }
static __attribute__((noinline)) int s_1(int n) { return n * 3 + 1; }
__attribute__((noinline)) int f2_0(int n) { return n * 3 + 1; }
__attribute__((noinline)) int f2_1(int n) { return n ^ 0x55aa; }
__attribute__((noinline)) int f2_2(int n) { return n + f3_0(n + 0) + f0_1(n + 1) + f2_3(n + 2); }
__attribute__((noinline)) int f2_3(int n) { return 0 + s_0(n + 0); }
__attribute__((noinline)) int f2_4(int n) { return n + 1 + f2_4(n + 0); }
int (*p2)(int) = s_1;
