/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about ARM share. */
#ifndef SDTLINK_ARM_H
#define SDTLINK_ARM_H

#include "arch.h"
#include "insn.h"

/* The two encodings. Pointers to code have them in bit 0. */
enum { ARM = 0, THUMB = 1 };

enum { ARM_ALWAYS = 14, ARM_NEVER = 15 }; /* conditions */

static inline uint32_t thumb_half(const struct arch *arch, const uint8_t *p)
{
	return arch->is_big_endian ? insn_be16(p) : insn_le16(p);
}

/* An instruction of 32 bits. The first halfword is in the upper bits. */
static inline uint32_t thumb_insn(const struct arch *arch, const uint8_t *p)
{
	return thumb_half(arch, p) << 16 | thumb_half(arch, p + 2);
}

/* Is the first halfword the start of an instruction of 32 bits? */
static inline bool thumb_is_wide(uint32_t half)
{
	return half >= 0xe800;
}

/* The distance of a branch with 24 bits, counted from the instruction. */
static inline int64_t arm_branch_distance(uint32_t insn)
{
	return insn_sign_extend(insn << 2, 26) + 8;
}

/* The same for b.w, bl and blx, and for a b.w with a condition. */
static inline int64_t thumb_branch_distance(uint32_t insn)
{
	uint32_t sign = insn >> 26 & 1;
	uint32_t i1 = ~(insn >> 13 ^ sign) & 1, i2 = ~(insn >> 11 ^ sign) & 1;

	return insn_sign_extend(sign << 24 | i1 << 23 | i2 << 22 |
					insn_bits(insn, 16, 10, 12) |
					insn_bits(insn, 0, 11, 1),
				25) +
	       4;
}

static inline int64_t thumb_cond_distance(uint32_t insn)
{
	return insn_sign_extend(insn_bits(insn, 26, 1, 20) |
					insn_bits(insn, 11, 1, 19) |
					insn_bits(insn, 13, 1, 18) |
					insn_bits(insn, 16, 6, 12) |
					insn_bits(insn, 0, 11, 1),
				21) +
	       4;
}

/* Do these attributes belong to an object for a CPU without bx? */
bool arm_lacks_bx(const struct arch *arch, const uint8_t *bytes, size_t size);

bool arm_decode_branch(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct branch *branch);
void arm_each_branch(const struct arch *arch, const struct code *code,
		     uint64_t low, uint64_t high,
		     void (*found)(void *ctx, uint64_t offset,
				   const struct branch *branch),
		     void *ctx);
void arm_each_address(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx);
int64_t arm_reloc_lead(const struct arch *arch, const uint8_t *field,
		       const struct reloc *r, uint64_t *step);
bool arm_is_boundary(const struct arch *arch, const struct code *code,
		     uint64_t start, uint64_t offset);
bool arm_step(const struct arch *arch, const struct code *code, uint64_t offset,
	      struct step *step);
bool arm_is_return(const struct arch *arch, const struct code *code,
		   uint64_t offset);
uint64_t arm_padding_end(const struct arch *arch, const struct code *code,
			 uint64_t start, uint64_t end);
bool arm_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			const struct reloc *r);
bool arm_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range);
bool arm_judge_part(const struct arch *arch, const struct reloc *relocs,
		    size_t n, const struct code *before,
		    const struct code *after, struct rewrite_part *part);
bool arm_is_redirect(const struct arch *arch, const struct code *before,
		     const struct code *after, uint64_t offset,
		     struct redirect *redirect);
bool arm_may_redirect(const struct arch *arch, const struct code *before,
		      uint64_t offset);
/* Decodes the branch at ADDR of CODE, if it is in MODE and has no condition. */
bool arm_decode_jump(const struct arch *arch, const struct code *code,
		     uint64_t addr, uint8_t mode, struct branch *jump);
/* The part of is_redirect for an erratum of the Cortex-A8. */
bool arm_is_cortex_a8(const struct arch *arch, const struct code *before,
		      const struct code *after, uint64_t offset,
		      struct redirect *redirect);
bool arm_decode_detour(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct detour *detour);
bool arm_decode_gateway(const struct arch *arch, const struct code *code,
			uint64_t offset, uint64_t *target);
bool arm_decode_plt(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t got, uint64_t *slot);
unsigned arm_decode_veneer(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *target);

#endif
