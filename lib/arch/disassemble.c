/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "disassemble.h"

#ifdef LIBOPCODES_SO

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dis-asm.h>

/* The functions of libopcodes and libbfd, with the types of those libraries. */
static struct {
	bool is_loaded;
	__typeof__(&disassembler) find;
	__typeof__(&disassemble_init_for_target) init_for_target;
	__typeof__(&init_disassemble_info) init;
	__typeof__(&bfd_scan_arch) scan_arch;
} opcodes;

static bool load(void)
{
	static bool was_tried;
	void *handle;

	if (was_tried)
		return opcodes.is_loaded;
	was_tried = true;
	handle = dlopen(LIBOPCODES_SO, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		return false;
	*(void **)&opcodes.find = dlsym(handle, "disassembler");
	*(void **)&opcodes.init_for_target =
		dlsym(handle, "disassemble_init_for_target");
	*(void **)&opcodes.init = dlsym(handle, "init_disassemble_info");
	*(void **)&opcodes.scan_arch = dlsym(handle, "bfd_scan_arch");
	opcodes.is_loaded = opcodes.find && opcodes.init_for_target &&
			    opcodes.init && opcodes.scan_arch;
	return opcodes.is_loaded;
}

bool disassemble_is_available(void)
{
	return load();
}

struct text {
	char *at;
	size_t left;
};

static int append(struct text *text, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
static int print_plain(void *stream, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static int print_styled(void *stream, enum disassembler_style style,
			const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int append(struct text *text, const char *fmt, va_list ap)
{
	int n = vsnprintf(text->at, text->left, fmt, ap);

	if (n >= 0 && (size_t)n < text->left) {
		text->at += n;
		text->left -= n;
	} else {
		text->left = 0; /* full */
	}
	return n;
}

static int print_plain(void *stream, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = append(stream, fmt, ap);
	va_end(ap);
	return n;
}

static int print_styled(void *stream, enum disassembler_style style,
			const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)style;
	va_start(ap, fmt);
	n = append(stream, fmt, ap);
	va_end(ap);
	return n;
}

/* Bytes come from the code, and only from there. */
static int read_memory(bfd_vma addr, bfd_byte *to, unsigned length,
		       struct disassemble_info *info)
{
	const struct code *code = info->application_data;

	if (addr < code->addr || addr - code->addr > code->size ||
	    length > code->size - (addr - code->addr))
		return 1;
	memcpy(to, code->bytes + (addr - code->addr), length);
	return 0;
}

static void print_address(bfd_vma addr, struct disassemble_info *info)
{
	info->fprintf_func(info->stream, "0x%llx", (unsigned long long)addr);
}

static void memory_error(int status, bfd_vma addr,
			 struct disassemble_info *info)
{
	(void)status;
	(void)addr;
	(void)info;
}

unsigned disassemble(const struct arch *arch, const struct code *code,
		     uint64_t offset, char *text, size_t size)
{
	struct disassemble_info info;
	struct text out = { text, size };
	enum bfd_endian endian = arch->is_big_endian ? BFD_ENDIAN_BIG
						     : BFD_ENDIAN_LITTLE;
	const bfd_arch_info_type *target;
	disassembler_ftype print;
	int length;

	text[0] = '\0';
	if (!load())
		return 0;
	target = opcodes.scan_arch(arch->bfd_name);
	if (target == NULL)
		return 0;
	opcodes.init(&info, &out, print_plain, print_styled);
	info.arch = target->arch;
	info.mach = target->mach;
	info.endian = info.endian_code = endian;
	info.application_data = (void *)code;
	info.read_memory_func = read_memory;
	info.memory_error_func = memory_error;
	info.print_address_func = print_address;
	opcodes.init_for_target(&info);
	print = opcodes.find(target->arch, arch->is_big_endian, target->mach,
			     NULL);
	if (print == NULL)
		return 0;
	length = print(code->addr + offset, &info);
	return length > 0 ? length : 0;
}

#else /* --without-libbfd */

bool disassemble_is_available(void)
{
	return false;
}

unsigned disassemble(const struct arch *arch, const struct code *code,
		     uint64_t offset, char *text, size_t size)
{
	(void)arch;
	(void)code;
	(void)offset;
	if (size > 0)
		text[0] = '\0';
	return 0;
}

#endif
