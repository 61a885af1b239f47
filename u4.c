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
__attribute__((weak, noinline)) int weak(int n) { return 0; }
__attribute__((noinline)) int f4_0(int n) { return n + 1 + f2_1(n + 0); }
int (*p4)(int) = s_0;
