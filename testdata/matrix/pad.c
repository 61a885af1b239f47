/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Not in the partial: text that comes before it. */
extern volatile int state;

void pad_text(void);
void pad_text(void)
{
	state = 1;
	state = 2;
	state = 3;
}
