// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled twice, as copy_one and copy_two: both hold the inline function in
// a COMDAT group, of which the link keeps one. With OTHER, another body.
extern "C" {
void __dtrace_sdt_cxx___inline(int, int);
void __dtrace_sdt_cxx___copy(int);
extern volatile int state;
int COPY(int n);
}

template <typename T> __attribute__((noinline)) T shared_inline(T n)
{
#ifdef OTHER
	state = n + 9;
	state = state + 1;
#endif
	__dtrace_sdt_cxx___inline(n, 1);
	state = n;
	__dtrace_sdt_cxx___inline(n, 2);
	return n + 1;
}

int COPY(int n)
{
	__dtrace_sdt_cxx___copy(n);
	return shared_inline<int>(n) + 1;
}
