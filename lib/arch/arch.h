/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sdtlink knows about an instruction set. Each has one const struct arch,
 * compiled in, which is chosen by the file's machine, class and byte order.
 * Nothing outside lib/arch/ knows an R_* number or an opcode. Two groups of
 * hooks look at branches, and share no code. The first serves the generator,
 * which starts from a relocation. The second serves verify, which starts from
 * the bytes of an image.
 */
#ifndef SDTLINK_ARCH_H
#define SDTLINK_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/search.h"
#include "insn.h"
#include "instruction-sets.h"

struct reloc;

/*
 * The encoding of instructions, where an ISA has several, such as ARM and
 * Thumb. The value is what a pointer to such code has in its low bits. An ISA
 * with one encoding has mode 0.
 */
enum { MODE_DATA = 0xfe, MODE_UNKNOWN = 0xff };

/* How a site reaches the probe function. The values are those of
 * sdt_table(5). */
enum site_form {
	FORM_CALL = 0,	 /* a call */
	FORM_TAIL = 1,	 /* a jump, which the compiler makes of a last call */
	FORM_COND = 2,	 /* a conditional jump: a last call under a condition */
	FORM_BRANCH = 3, /* a NOP that jumps to the call when it is on */
};

/* Kinds of sites, for struct arch. */
enum store_site {
	STORE_CALL = 1,
	STORE_TAIL = 2,
	STORE_COND = 4,
	STORE_ENABLED = 8,
	STORE_BRANCH = 16,
};

/* A direct branch as decoded from an image. */
struct branch {
	enum site_form form;
	unsigned length;
	unsigned field; /* offset of the displacement in the insn */
	/*
	 * It reaches less far than a call, and no linker makes it of a call.
	 * Many constants decode as such a branch.
	 */
	bool is_short;
	uint64_t target;
	/* ISAs with modes: that of the branch, and that of its target. */
	uint8_t mode;
	uint8_t target_mode;
};

/* From OFFSET on, up to the next mark, the mode is MODE. */
struct mark {
	uint64_t offset;
	uint8_t mode;
};

/* An image's bytes and the address of the first. */
struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;
	const struct mark *marks; /* by offset; only for ISAs with modes */
	size_t nmarks;
};

/* What OFFSET of BEFORE became in AFTER, code of the image at that address. */
static inline const uint8_t *code_became(const struct code *before,
					 const struct code *after,
					 uint64_t offset)
{
	return after->bytes + (before->addr - after->addr) + offset;
}

/* The mode at OFFSET, by the marks. */
static inline uint8_t code_mode(const struct code *code, uint64_t offset)
{
	size_t i;

	LOWER_BOUND(i, code->nmarks, code->marks[i].offset <= offset);
	return i > 0 ? code->marks[i - 1].mode : MODE_UNKNOWN;
}

/* CODE, all of it in the mode of MARK, whose offset is 0. */
static inline struct code code_in_mode(const struct code *code,
				       const struct mark *mark)
{
	return (struct code){ code->bytes, code->size, code->addr, mark, 1 };
}

struct reloc_desc {
	const char *name; /* the psABI's, whole: "GOT", "TLS", "_64" and others
			   * in it decide what the field is (arch.c) */
	uint8_t width;	  /* of the field in bytes; 0 for a marker */
	bool is_known;
	bool relaxes;	  /* allows the linker to delete code */
	bool from_end;	  /* PC-relative to the end of the field */
	bool is_distance; /* PC-relative, and never of an instruction */
	uint8_t mode;	  /* of the instruction with the field, or MODE_DATA */
	uint64_t mask;	  /* bits of the field that it sets: bit 0 is the lowest
			   * bit of the first byte in memory; 0: all bits */
};

/* A call and what it leads to: see the hook restores. */
struct called {
	const uint8_t *before;	   /* the call in the partial, */
	const uint8_t *after;	   /* and in the image */
	size_t size;		   /* from the call to the end of its section */
	const struct reloc *reloc; /* of the call */
	const struct reloc *behind; /* of what follows, or NULL */
	const uint8_t *hop;	    /* what is called, of 4 bytes or more */
	bool is_hop;		    /* the linker made that, */
	bool leaves;		    /* and may lead to another component */
};

/* Bytes [start, end) of a section that the linker may have rewritten. */
struct byte_range {
	uint64_t start;
	uint64_t end;
};

/* An instruction that the linker moved away; offsets in a struct code. */
struct detour {
	uint64_t start; /* where it was, and the branch is */
	unsigned length;
	uint64_t copy;
	bool is_other; /* COPY does the same with other instructions */
};

/*
 * An instruction that a veneer does in its place, or a branch that goes through
 * a veneer.
 */
struct redirect {
	uint64_t start; /* offset */
	unsigned length;
	bool is_same;  /* it still arrives where it did */
	bool is_entry; /* linkers do that only where a global function begins */
};

/*
 * Function descriptors: in some ABIs, the symbol of a function names a record
 * in data. The first word of the record is the address of the code.
 */
struct descriptor_desc {
	const char *section; /* the section that holds them */
	const char *prefix;  /* this prefix on a name means the code itself */
	unsigned size;
	uint32_t reloc_code; /* the relocation of the first word */
	uint32_t reloc_toc;  /* of the second word, without a symbol */
};

/* A section of data that matters for the code. */
struct section_desc {
	const char *name; /* NULL: any name */
	const char *what; /* for a message */
	const char *remedy;
	uint64_t flag; /* of sh_flags; 0: any */
};

/* What a linker may have made of an access to thread-local storage. */
enum tls_model {
	TLS_KEPT = 1,	 /* as the compiler wrote it */
	TLS_INITIAL = 2, /* initial exec */
	TLS_LOCAL = 4,	 /* local exec */
};

/*
 * What the instruction of a relocation became, as a part of what the linker
 * decided for a symbol.
 */
struct rewrite_part {
	unsigned kind;	 /* of the decision; 0: there is none */
	uint32_t symndx; /* of the symbol */
	int64_t addend;	 /* 0 if the decision is one for all addends */
	uint32_t ways;	 /* a bit for each decision that explains it; of
			  * thread-local storage, those of enum tls_model */
	bool is_lead;	 /* parts of greater addends may depend on this one */
	unsigned length; /* so many bytes from the field on became one thing */
	bool is_address; /* the field holds the symbol's address, which the
			  * linker knew */
};

/* One of WAYS, if a lead explains it, too. */
#define PART_WITH_LEAD 0x80000000u

/*
 * The instructions of one address or of one thread-local access are parts,
 * which linkers change together. What tells that parts belong together?
 */
enum part_key {
	PART_OF_SYMBOL,	 /* the symbol and the addend */
	PART_OF_LABEL,	 /* the symbol is a label at the lead */
	PART_OF_SECTION, /* all in a section do */
};

struct reloc_part {
	uint8_t kind; /* only those of one kind do */
	enum part_key key;
	bool is_lead; /* the other parts go on with what it computes */
};

/* The ways in which parts may be linked, as bits: bit 0 changes nothing. */
#define WAY_KEPT 1
#define WAYS_CHANGED 0xfe
#define WAYS_ANY 0xff

/* Where control goes after an instruction. */
enum insn_flow {
	FLOW_ON,     /* to the next one, perhaps */
	FLOW_FILLER, /* to the next one, and it does nothing */
	FLOW_AWAY,   /* elsewhere, always */
};

/* How an instruction affects control flow. */
struct step {
	unsigned length;
	unsigned nprefixes; /* prefix bytes; code may also enter behind each */
	bool goes_on;	    /* control may go on behind it */
	bool is_call;	    /* a call, which returns behind it */
	bool has_target;    /* it is a direct branch */
	uint64_t target;    /* address */
};

#define NO_END UINT64_MAX
#define NO_LEAD INT64_MIN

#define ARCH_STUB_MAX 24
#define DISABLED_MAX 8

struct arch_scan;

struct arch {
	const char *name;     /* as in JSON */
	const char *bfd_name; /* as in bfd_scan_arch */
	uint16_t machine;     /* EM_* */
	bool is_64;
	bool is_big_endian;
	uint32_t flags_mask; /* bits of e_flags that must be FLAGS, where the */
	uint32_t flags;	     /* class does not distinguish two ABIs */
	const struct reloc_desc *relocs; /* indexed by type */
	size_t nrelocs;
	uint32_t reloc_none;  /* R_*_NONE */
	bool has_three_types; /* r_info of ELF64 holds a symbol, then a special
			       * symbol and three types of one byte each, in an
			       * order of its own */
	bool has_type_data;   /* in ELF64, only the lowest byte of the type is
			       * the type; the others are data */
	bool uses_rela;	      /* ld -r keeps addends in the relocations */
	uint32_t reloc_index; /* for a function in .ARM.exidx; 0: none */
	uint32_t reloc_pc32;  /* S + A - P in a 32-bit word of data */
	uint32_t reloc_word;  /* S + A in a word of the size of an address,
			       * aligned or not */
	uint32_t reloc_relative;  /* run-time: the loader adds the load address
				   * to the addend; 0: none */
	uint32_t reloc_jump_slot; /* run-time: the slot of a PLT entry */
	uint32_t reloc_irelative; /* run-time: the loader stores what the
				   * function at the addend returns; 0: none */
	uint32_t signed_relr;	  /* SHT_* of packed relocations of
				   * pointers that the loader signs; 0:
				   * none */
	uint32_t dynamic_signed_relr; /* DT_* of their address; that of their
				       * size is one less */
	bool adds_no_section; /* run-time: the addend of a relocation against a
			       * section has the section's address, too */
	uint32_t stub_align;
	uint8_t slot_width; /* width of the word that a PLT entry loads; 0: that
			     * of an address */
	uint8_t delay_slot; /* bytes behind a branch that run before it takes
			     * effect; 0: none */
	uint8_t fill[4];    /* what assemblers and linkers fill gaps with, in
			     * memory order, if it is more than one byte */
	uint8_t fill_size;  /* 0: they fill with single bytes */
	uint8_t fill_bytes[2]; /* those, beside 0 and 0xff; 0 for none */
	uint32_t trap; /* what lld fills gaps with, if it is not FILL; or 0 */
	uint8_t mode_bits; /* all modes or'ed, 0 if there is only one */
	const struct descriptor_desc *descriptors; /* NULL if the symbol of a
						    * function names its code */

	/*
	 * Sets the mode, or MODE_DATA, that begins at the mapping symbol NAME.
	 * False if NAME is not one. NULL without modes.
	 */
	bool (*mapping_mode)(const char *name, uint8_t *mode);

	/*
	 * The mapping symbol for the start of generated code in MODE. NULL if
	 * none is needed.
	 */
	const char *(*mapping_name)(uint8_t mode);

	/*
	 * Verify: in an image with E_FLAGS, the final link has reversed the
	 * bytes of each unit of code in MODE. Returns the size of a unit; 1 if
	 * nothing was reversed. NULL if linkers never do that.
	 */
	unsigned (*swap_unit)(uint32_t e_flags, uint8_t mode);

	/*
	 * Which sites one store may switch while other CPUs run them. The width
	 * is that of a naturally aligned store that instruction fetch sees
	 * whole or not at all; 0 if the architecture promises nothing.
	 * store_sites lists the sites for which it promises that about both
	 * instructions.
	 */
	uint8_t store_width;
	uint8_t store_sites; /* of enum store_site */

	/*
	 * Names what a file with these e_flags holds that sdtlink cannot
	 * decode, and the compiler option that avoids it. Returns NULL if it
	 * can decode all. The hook may be NULL.
	 */
	const char *(*refuse_flags)(uint32_t flags, const char **remedy);

	/*
	 * The section where compilers keep addresses of functions for indirect
	 * calls, and the option that makes them do so. NULL if there is none.
	 */
	const struct section_desc *pool;

	/*
	 * A section that only files of another ABI or encoding have, whose code
	 * sdtlink cannot decode, whatever their flags say. NULL if there is
	 * none.
	 */
	const struct section_desc *refuse_section;

	/* Chooses among variants of one name by e_flags, or is NULL. */
	const struct arch *(*variant)(const struct arch *arch, uint32_t flags);

	/*
	 * Chooses among variants of one name by the SIZE bytes of a section of
	 * type ATTRIBUTES_TYPE. NULL if e_flags decide.
	 */
	uint32_t attributes_type;
	const struct arch *(*refine)(const struct arch *arch,
				     const uint8_t *bytes, size_t size);

	/*
	 * Writes the code of an empty function in MODE, or of one that returns
	 * 0. HASH goes into an instruction that has no effect, so that no two
	 * stubs are equal. Returns the length, at most ARCH_STUB_MAX.
	 */
	unsigned (*make_stub)(const struct arch *arch, uint8_t mode,
			      bool is_enabled, uint32_t hash, uint8_t *bytes);

	/*
	 * Writes what --nop makes of the site at OFFSET of CODE: an instruction
	 * that does nothing, returns, or yields 0. Returns the length, which is
	 * that of the branch and at most DISABLED_MAX. Returns 0 if no single
	 * instruction does that; then the site keeps its branch. A site that is
	 * off already gives the same.
	 */
	unsigned (*disable)(const struct arch *arch, enum site_form form,
			    bool is_enabled, const struct code *code,
			    uint64_t offset, uint8_t bytes[DISABLED_MAX]);

	/*
	 * Generator: the hooks that find sites by relocations, declared in
	 * scan.h. Verify does not include scan.h, and finds sites on its own.
	 */
	const struct arch_scan *scan;

	/*
	 * Verify: decodes the direct branch at OFFSET of CODE. False if there
	 * is none. Where marks do not give the mode, the bytes must be a branch
	 * in exactly one mode.
	 */
	bool (*decode_branch)(const struct arch *arch, const struct code *code,
			      uint64_t offset, struct branch *branch);

	/*
	 * Verify: calls FOUND for each offset of CODE at which a direct branch
	 * to [LOW, HIGH] can be decoded, at an instruction boundary or not, in
	 * any order. Where marks do not give the mode, tries each mode.
	 */
	void (*each_branch)(const struct arch *arch, const struct code *code,
			    uint64_t low, uint64_t high,
			    void (*found)(void *ctx, uint64_t offset,
					  const struct branch *branch),
			    void *ctx);

	/*
	 * Calls FOUND for each offset of CODE at which a PC-relative operand
	 * with a TARGET in [LOW, HIGH] can be decoded. NULL if code can compute
	 * addresses in ways that bytes do not show: then no site counts as
	 * dead.
	 */
	void (*each_operand)(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx);

	/*
	 * Calls FOUND for each offset of CODE at which instructions compute the
	 * address TARGET in [LOW, HIGH] from their own, with a distance that an
	 * assembler has filled in. The field of the distance is at OFFSET, and
	 * has at most four bytes. NULL if there are no such instructions.
	 */
	void (*each_address)(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx);

	/*
	 * What the instruction of relocation R refers to, as a distance from
	 * the value of R's symbol, if that is not the addend and
	 * arch_reloc_bias. FIELD is the relocated field. If R gives only the
	 * lower bits, sets *STEP to what the rest is a multiple of; if it gives
	 * none, returns NO_LEAD. NULL if arch_reloc_lead needs no such hook.
	 */
	int64_t (*reloc_lead)(const struct arch *arch, const uint8_t *field,
			      const struct reloc *r, uint64_t *step);

	/*
	 * each_branch and each_operand in one pass over CODE, for
	 * arch_each_reference. NULL if one pass saves nothing.
	 */
	void (*each_both)(const struct arch *arch, const struct code *code,
			  uint64_t low, uint64_t high,
			  void (*branch)(void *ctx, uint64_t offset,
					 const struct branch *branch),
			  void (*operand)(void *ctx, uint64_t offset,
					  uint64_t target),
			  void *ctx);

	/*
	 * Where the code of the function [START, END) of CODE ends: behind its
	 * last instruction that never goes on to the next one, if only fillers
	 * follow. NO_END if code may run past END, or cannot be decoded. NULL
	 * if each_operand is NULL.
	 */
	uint64_t (*find_end)(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t end);

	/*
	 * Verify: does an instruction begin at OFFSET, if one begins at START?
	 * Also true if the bytes between cannot be decoded.
	 */
	bool (*is_boundary)(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset);

	/*
	 * Verify: describes the instruction at OFFSET of CODE. False if the
	 * bytes cannot be decoded. Sets goes_on only if that is certain, and so
	 * not for a trap. NULL if each aligned word is an instruction.
	 */
	bool (*step)(const struct arch *arch, const struct code *code,
		     uint64_t offset, struct step *step);

	/*
	 * Verify: is the instruction at OFFSET of CODE, which never goes on to
	 * the next one, a return? Else a register or memory may lead it
	 * anywhere in its function. NULL if padding_end is NULL.
	 */
	bool (*is_return)(const struct arch *arch, const struct code *code,
			  uint64_t offset);

	/*
	 * Verify: the bytes of other instructions decode by chance as branches
	 * of up to this length. Longer ones count as real.
	 */
	uint8_t chance_length;

	/*
	 * Verify: assemblers and linkers fill the gap [START, END) of CODE
	 * between two functions with instructions that do nothing, or with a
	 * branch over these. Returns where such padding ends; START if there is
	 * none. NULL if padding never decodes as a branch.
	 */
	uint64_t (*padding_end)(const struct arch *arch,
				const struct code *code, uint64_t start,
				uint64_t end);

	/*
	 * Verify: BEFORE and AFTER, SIZE bytes of one section, differ at
	 * relocation R. Is that a rewrite that linkers are known to make? Sets
	 * the RANGE that it covers.
	 */
	bool (*is_rewrite)(const struct arch *arch, const uint8_t *before,
			   const uint8_t *after, size_t size,
			   const struct reloc *r, struct byte_range *range);

	/*
	 * Verify: is that rewrite, which is_rewrite or relax knows, made only
	 * for a weak symbol that nothing defines, or for one at address 0 or
	 * near it? AFTER begins at the field of R. NULL if there is no such
	 * rewrite.
	 */
	bool (*is_for_nowhere)(const struct arch *arch, const uint8_t *after,
			       const struct reloc *r);

	/*
	 * Verify: is that rewrite, which is_rewrite knows, made only of a load
	 * of an address from the section ->pointers? BEFORE and AFTER begin at
	 * the field of R. NULL if there is no such rewrite.
	 */
	bool (*is_for_pointer)(const struct arch *arch, const uint8_t *before,
			       const uint8_t *after, const struct reloc *r);
	const char *pointers;

	/*
	 * Verify: BEFORE is a section of the partial, with its address in the
	 * image; AFTER is the image. The instruction of the first of N sorted
	 * RELOCS is one that is_rewrite or a mask allows, rewritten or not. Do
	 * linkers also make it there, and with the relocations behind it? Sets
	 * the PART; the caller compares those of one kind, symbol and addend.
	 * NULL if each instruction is rewritten alone.
	 */
	bool (*judge_part)(const struct arch *arch, const struct reloc *relocs,
			   size_t n, const struct code *before,
			   const struct code *after, struct rewrite_part *part);
	/* ... which can refuse what is as it was, too. Else it is only asked
	 * where something changed. */
	bool judges_unchanged;

	/*
	 * Verify: how many bytes around the field of a relocation of TYPE a
	 * rewrite may change. 0 if it changes the field alone. NULL if that is
	 * not known: then many, for all types.
	 */
	unsigned (*rewrite_reach)(const struct arch *arch, uint32_t type);

	/*
	 * Verify, where linkers delete code. BEFORE is code of the partial, up
	 * to the end of its section; the first of the N sorted RELOCS is at its
	 * first byte. AFTER is what the image has there. Is AFTER another form,
	 * which linkers are known to make of BEFORE? Then judges all
	 * relocations in it, and sets how many bytes of each it takes. BEFORE
	 * has an offset for its address. NULL if nothing relaxes.
	 */
	bool (*relax)(const struct arch *arch, const struct reloc *relocs,
		      size_t n, const struct code *before,
		      const struct code *after, unsigned *nbefore,
		      unsigned *nafter);

	/*
	 * Verify: is the instruction of R a part? MAY_RELAX: linkers may delete
	 * code there. This and part_ways do what judge_part does, where
	 * linkers delete code, so that there is no section of the image to
	 * compare with, but a piece for each relocation. NULL if there are no
	 * parts.
	 */
	bool (*find_part)(const struct arch *arch, const struct reloc *r,
			  bool may_relax, struct reloc_part *part);

	/*
	 * Verify: BEFORE begins at such an R, and has an offset for its
	 * address. It has become AFTER, as is_rewrite or relax knows, or is as
	 * it was. Nothing is left if AFTER is empty. Which ways do that, for
	 * this part alone? All of them if the user judges AFTER, and linkers do
	 * not make it. IS_JOINT: AFTER is what several parts have become
	 * together.
	 */
	uint8_t (*part_ways)(const struct arch *arch, const struct reloc *r,
			     const struct code *before,
			     const struct code *after, bool is_joint);

	/*
	 * Verify: linkers delete no more bytes than these where R is. NULL if
	 * nothing relaxes.
	 */
	uint64_t (*deletes_max)(const struct reloc *r);

	/*
	 * Verify: the address of the slot through which the PLT entry at
	 * OFFSET of CODE jumps. GOT is the address of the GOT for ISAs whose
	 * PLT addresses it by register, else 0.
	 */
	bool (*decode_plt)(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *slot);

	/*
	 * Verify: may what decode_plt and decode_veneer say of OFFSET depend on
	 * GOT? NULL if it may anywhere.
	 */
	bool (*uses_got)(const struct arch *arch, const struct code *code,
			 uint64_t offset);

	/*
	 * The symbol whose value decode_plt gets as GOT, to which the register
	 * points. NULL for _GLOBAL_OFFSET_TABLE_. If functions have
	 * descriptors, the second words of these hold the value.
	 */
	const char *got_symbol;

	/*
	 * The section of a table of addresses that instructions branch to by an
	 * index; or NULL.
	 */
	const char *jump_table;

	/*
	 * How far behind its address a function is entered by calls from its
	 * own component, by the st_other of its symbol. NULL if all calls enter
	 * it at its address.
	 */
	unsigned (*local_entry)(uint8_t other);

	/*
	 * Verify: the value to which the function at OFFSET of CODE sets the
	 * register that decode_plt and decode_veneer get as GOT: before its
	 * local entry, or if it has none, before it branches. Functions may set
	 * different values, and a linker may set a wrong one. False if the
	 * bytes do not show it. NULL if functions do not set it.
	 */
	bool (*sets_got)(const struct arch *arch, const struct code *code,
			 uint64_t offset, uint64_t *got);

	/*
	 * Verify: decodes a veneer (thunk, long-branch stub) at OFFSET of CODE.
	 * Linkers put one between a branch and its target if that is too far
	 * away, or in another mode. It does nothing but go on to an address
	 * that it holds, TARGET, which is a pointer with the mode in its low
	 * bits. Returns the length of the veneer, or 0 if there is none. GOT is
	 * as for decode_plt. A plain jump is not a veneer. NULL if linkers make
	 * no veneers.
	 */
	unsigned (*decode_veneer)(const struct arch *arch,
				  const struct code *code, uint64_t offset,
				  uint64_t got, uint64_t *target);

	/*
	 * Verify: linkers change the instruction behind a call, if what is
	 * called by the way saves a register for the caller. Do the two go
	 * together? NULL if linkers change nothing there.
	 */
	bool (*restores)(const struct arch *arch, const struct called *called);

	/*
	 * Verify: linkers choose the base register of R's instruction by the
	 * section of the image that has the symbol. AFTER is at the field of R.
	 * The two sections for which they choose the register that it has, or
	 * NULL if R chooses none. NULL if no relocation does.
	 */
	const char *const *(*areas)(const struct arch *arch,
				    const uint8_t *after,
				    const struct reloc *r);

	/*
	 * The length of a function at OFFSET of CODE that a linker adds for
	 * others to call, or 0. NULL if no linker does.
	 */
	unsigned (*added_length)(const struct arch *arch,
				 const struct code *code, uint64_t offset);

	/*
	 * Verify: the function behind a secure gateway at OFFSET of CODE. False
	 * if there is no gateway. Linkers give the global name of such a
	 * function to its gateway. NULL if they make no gateways.
	 */
	bool (*decode_gateway)(const struct arch *arch, const struct code *code,
			       uint64_t offset, uint64_t *target);

	/*
	 * Verify: is the byte at OFFSET of CODE in a branch to a copy of one
	 * instruction, with a branch back behind the copy? Linkers move an
	 * instruction away so to avoid a processor's erratum. The caller
	 * compares the copy. If other instructions do the same, is_redirect
	 * decides whether they are right. NULL if linkers do not do that.
	 */
	bool (*decode_detour)(const struct arch *arch, const struct code *code,
			      uint64_t offset, struct detour *detour);

	/*
	 * Verify: BEFORE is a section of the partial, with its address in the
	 * image; AFTER is the image. Is the byte at OFFSET of BEFORE in a
	 * branch that goes through a veneer in AFTER, or in an instruction that
	 * a veneer does in its place, or in one that the linker exchanges
	 * without a relocation? This is for changes beyond the field of a
	 * relocation, mostly because of errata. NULL if linkers do not do that.
	 */
	bool (*is_redirect)(const struct arch *arch, const struct code *before,
			    const struct code *after, uint64_t offset,
			    struct redirect *redirect);

	/*
	 * Verify: could is_redirect be true for the byte at OFFSET of BEFORE,
	 * at any address, though decode_detour finds nothing in the image?
	 * Where is_entry is set it need not: a name tells where that is. NULL
	 * if it never can.
	 */
	bool (*may_redirect)(const struct arch *arch, const struct code *before,
			     uint64_t offset);
};

/* The arch of such a file, or NULL if sdtlink does not know it. */
const struct arch *arch_find(uint16_t machine, bool is_64, bool is_big_endian,
			     uint32_t flags);

/* The arch with that index, or NULL behind the last. */
const struct arch *arch_at(size_t i);

/* An instruction of 32 bits at P, as a number. */
static inline uint32_t arch_insn(const struct arch *arch, const uint8_t *p)
{
	return arch->is_big_endian ? insn_be32(p) : insn_le32(p);
}

static inline void arch_put_insn(const struct arch *arch, uint8_t *p,
				 uint32_t insn)
{
	if (arch->is_big_endian)
		insn_put_be32(p, insn);
	else
		insn_put_le32(p, insn);
}

/* ADDR modulo 2^32 if addresses have 32 bits. */
static inline uint64_t arch_wrap(const struct arch *arch, uint64_t addr)
{
	return arch->is_64 ? addr : (uint32_t)addr;
}

/* The hooks each_branch and, unless that is NULL, each_operand. */
void arch_each_reference(const struct arch *arch, const struct code *code,
			 uint64_t low, uint64_t high,
			 void (*branch)(void *ctx, uint64_t offset,
					const struct branch *branch),
			 void (*operand)(void *ctx, uint64_t offset,
					 uint64_t target),
			 void *ctx);

/*
 * The hook step; where each aligned word is an instruction, the same from other
 * hooks. An instruction that never goes on to the next one is as long as it is
 * with its delay slot.
 */
bool arch_step(const struct arch *arch, const struct code *code,
	       uint64_t offset, struct step *step);

/*
 * Where the code that begins at START of CODE ends, read straight on: behind
 * the first instruction that never goes on to the next one, and its delay slot.
 * END if there is none before that, or the bytes cannot be decoded.
 */
uint64_t arch_straight_end(const struct arch *arch, const struct code *code,
			   uint64_t start, uint64_t end);

/* The hook each_branch where each aligned word is an instruction. */
void arch_each_word_branch(const struct arch *arch, const struct code *code,
			   uint64_t low, uint64_t high,
			   void (*found)(void *ctx, uint64_t offset,
					 const struct branch *branch),
			   void *ctx);

/* Decodes the branch whose displacement is at FIELD of CODE, if there is one.
 */
bool arch_decode_at_field(const struct arch *arch, const struct code *code,
			  uint64_t field, struct branch *branch);

/* The hook find_end where each aligned word is an instruction. */
uint64_t arch_find_word_end(const struct code *code, uint64_t start,
			    uint64_t end, uint32_t (*read)(const uint8_t *p),
			    enum insn_flow (*flow)(uint32_t insn));

/*
 * The gABI's name for a machine that arch_find does not know; NULL if it is not
 * a common one. Sets REMEDY if a compiler option makes code for a known
 * machine.
 */
const char *arch_machine_name(uint16_t machine, bool is_64,
			      const char **remedy);

/*
 * Sets MACHINE (EM_*) and IS_64 for the PE machine PE. Leaves them if no arch
 * is for that machine.
 */
void arch_pe_machine(uint16_t pe, uint16_t *machine, bool *is_64);

/* Does GNU ld link ELF objects of MACHINE (EM_*) into PE images? */
bool arch_pe_is_linked(uint16_t machine);

/*
 * The ELF relocation that does the same as BASE, a base relocation of PE for
 * that machine; 0 if there is none.
 */
uint16_t arch_pe_reloc(uint16_t machine, unsigned base);

/* The names of all, as a list for a message. */
const char *arch_names(void);

/* "R_386_PC32", or "of unknown type". */
const char *arch_reloc_name(const struct arch *arch, uint32_t type);

static inline bool arch_reloc_is_known(const struct arch *arch, uint32_t type)
{
	return type < arch->nrelocs && arch->relocs[type].is_known;
}

/* Bytes that the relocation's field takes; 0 if unknown. */
static inline unsigned arch_reloc_width(const struct arch *arch, uint32_t type)
{
	return arch_reloc_is_known(arch, type) ? arch->relocs[type].width : 0;
}

/*
 * Do relocations of types ADD and SUB make a distance of WIDTH bytes, as
 * assemblers write it where linkers delete code?
 */
bool arch_reloc_subtracts(const struct arch *arch, uint32_t add, uint32_t sub,
			  unsigned width);

/* The bits that the relocation sets in byte I of its field, 0 outside it. */
static inline uint8_t arch_reloc_bits(const struct arch *arch, uint32_t type,
				      unsigned i)
{
	if (i >= arch_reloc_width(arch, type))
		return 0;
	return arch->relocs[type].mask ? arch->relocs[type].mask >> 8 * i
				       : 0xff;
}

/* Does it set all bits of its field? Also true if it has no field. */
static inline bool arch_reloc_sets_all(const struct arch *arch, uint32_t type)
{
	return !arch_reloc_is_known(arch, type) || arch->relocs[type].mask == 0;
}

/* Does the relocation allow the linker to delete code? */
static inline bool arch_reloc_relaxes(const struct arch *arch, uint32_t type)
{
	return arch_reloc_is_known(arch, type) && arch->relocs[type].relaxes;
}

/*
 * Can one store switch the site of LENGTH bytes at ADDR, in code of MODE? See
 * store_width.
 */
bool arch_one_store(const struct arch *arch, enum site_form form,
		    bool is_enabled, uint8_t mode, uint64_t addr,
		    unsigned length);

/*
 * The same for a site in a section that will be aligned to ALIGN, with ADDR an
 * offset in it: is it so at each address? If ALIGN is 0, the site may move in
 * the section, or be shortened.
 */
bool arch_one_store_is_known(const struct arch *arch, enum site_form form,
			     bool is_enabled, uint8_t mode, uint64_t align,
			     unsigned length);

/*
 * What to add to S + A to get what the instruction refers to: 0, or the width
 * of the field.
 */
static inline unsigned arch_reloc_bias(const struct arch *arch, uint32_t type)
{
	return arch_reloc_is_known(arch, type) && arch->relocs[type].from_end
		       ? arch->relocs[type].width
		       : 0;
}

/*
 * The addend of R, a relocation of a section with SIZE bytes at BYTES, of
 * SHT_RELA if IS_RELA: that of SHT_REL is what its field holds, as a signed
 * number; 0 if the field is not in the bytes.
 */
int64_t arch_reloc_addend(const struct arch *arch, const uint8_t *bytes,
			  size_t size, bool is_rela, const struct reloc *r);

/*
 * What R refers to, as a distance from the value of its symbol: see the hook.
 * BYTES has SIZE bytes, of text if IS_TEXT; R may be behind them. IS_RELA: the
 * addend is in R. Sets *STEP to 0 if R gives all bits.
 */
int64_t arch_reloc_lead(const struct arch *arch, const uint8_t *bytes,
			size_t size, bool is_text, bool is_rela,
			const struct reloc *r, uint64_t *step);

/*
 * Can a relocation of that type be of a branch? Where instructions begin
 * anywhere, the fields of other operands decode as a branch, too.
 */
bool arch_reloc_may_branch(const struct arch *arch, uint32_t type);

/*
 * Does a field of that type lead to a word that holds an address? Then the
 * addend may be that word's, and not the symbol's.
 */
bool arch_reloc_has_slot(const struct arch *arch, uint32_t type);

/* Does a field of that type hold an address, whole? */
bool arch_reloc_is_address(const struct arch *arch, uint32_t type);

/* Is it one of thread-local storage, of whatever model? */
bool arch_reloc_is_tls(const struct arch *arch, uint32_t type);

/*
 * Is a field of that type a distance, in text if IS_TEXT? In data, what is
 * PC-relative may be counted from the start of a table.
 */
static inline bool arch_reloc_is_distance(const struct arch *arch,
					  uint32_t type, bool is_text)
{
	return arch_reloc_is_known(arch, type) &&
	       (arch->relocs[type].is_distance ||
		(arch->relocs[type].from_end && !is_text));
}

#define ARCH_DECLARE(name) extern const struct arch arch_##name;
ARCH_LIST(ARCH_DECLARE)
#undef ARCH_DECLARE

#endif
