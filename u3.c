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
static __attribute__((noinline)) int s2_0(int n) { return n + 1; }
static __attribute__((noinline)) int s0_1(int n) { return n / 7 - 2; }
static __attribute__((noinline)) int s_2(int n) { return 0; }
__attribute__((noinline)) int f3_0(int n) { return n + 1; }
__attribute__((noinline)) int f3_1(int n) { return 0 + f0_1(n + 0) + s2_0(n + 1); }
__attribute__((noinline)) int f3_2(int n) { return n + 1 + s2_0(n + 0); }
int (*p3)(int) = s2_0;
