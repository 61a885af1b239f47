int f0_0(int);
int f0_1(int);
int f0_2(int);
int f0_3(int);
int f0_4(int);
int f1_0(int);
int f1_1(int);
int f1_2(int);
int f1_3(int);
int f1_4(int);
static __attribute__((noinline)) int s_0(int n) { return n ^ 0x55aa; }
__attribute__((weak, noinline)) int weak(int n) { return n << 5 | 3; }
__attribute__((noinline)) int f1_0(int n) { return n ^ 0x55aa + f0_4(n + 0); }
__attribute__((noinline)) int f1_1(int n) { return n << 5 | 3; }
__attribute__((noinline)) int f1_2(int n) { return n / 7 - 2 + f1_3(n + 0); }
__attribute__((noinline)) int f1_3(int n) { return 0 + f1_0(n + 0) + f0_2(n + 1) + f0_1(n + 2); }
__attribute__((noinline)) int f1_4(int n) { return n + 1 + f1_1(n + 0) + f1_1(n + 1); }
