/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sdtlink knows of an instruction set: one const struct arch each, all
 * compiled in, chosen by the file's machine, class and byte order. Nothing
 * outside lib/arch/ knows an R_* number or an opcode.
 *
 * Two groups of hooks look at branches, and share no code: the first serves
 * the generator, which starts from a relocation; the second serves verify,
 * which starts from the bytes of an image.
 */
#ifndef SDTLINK_ARCH_H
#define SDTLINK_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/search.h"
#include "insn.h"
#include "list.h"

struct reloc;

/*
 * An encoding of instructions, where an ISA has several, as ARM and Thumb: what
 * a pointer to such code has in its low bits. 0 where there is only one.
 */
enum { MODE_DATA = 0xfe, MODE_UNKNOWN = 0xff };

/* How a site reaches the probe function. The values are those of
 * sdt_table(5). */
enum site_form {
	FORM_CALL = 0,	 /* a call */
	FORM_TAIL = 1,	 /* a jump: what the compiler makes of a last call */
	FORM_COND = 2,	 /* a conditional jump: the same behind a condition */
	FORM_BRANCH = 3, /* a NOP that is to jump to where the call is */
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
	 * Reaches less far than a call, and nobody makes it of one: many a
	 * constant reads like that.
	 */
	bool is_short;
	uint64_t target;
	/* Only of ISAs with modes: of the branch, and on arrival. */
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
	const struct mark *marks; /* by offset; only of ISAs with modes */
	size_t nmarks;
};

/* The mode at OFFSET, as far as marks tell. */
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
	const char *name;
	uint8_t width; /* of the field in bytes; 0 for a marker */
	bool is_known;
	bool relaxes;	  /* allows the linker to delete code */
	bool from_end;	  /* PC-relative to the end of the field */
	bool is_distance; /* PC-relative, and never of an instruction */
	uint64_t mask; /* bits of the field that it sets, in memory order from
			  the lowest; 0 for all */
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
	bool is_other; /* what does the same is there, and not the same bytes */
};

/* An instruction that the linker has a veneer do, or a branch by way of one. */
struct redirect {
	uint64_t start; /* offset */
	unsigned length;
	bool is_same; /* it arrives where it did */
};

/*
 * Function descriptors: in some ABIs the symbol of a function is that of a
 * record in data, whose first word is the address of the code.
 */
struct descriptor_desc {
	const char *section; /* that holds them */
	const char *prefix;  /* before the name, it means the code */
	unsigned size;
	uint32_t reloc_code; /* the address in the first word */
	uint32_t reloc_toc;  /* what stands in the second; it has no symbol */
};

/* A section of data that says something of the code. */
struct section_desc {
	const char *name;
	const char *what; /* for a message */
	const char *remedy;
};

/* Where code goes behind an instruction. */
enum insn_flow {
	FLOW_ON,     /* to the next one, perhaps */
	FLOW_FILLER, /* the same, and it does nothing */
	FLOW_AWAY,   /* elsewhere, always */
};

/* An instruction, as the code around it sees it. */
struct step {
	unsigned length;
	unsigned nprefixes; /* bytes; it can begin behind each as well */
	bool goes_on;	    /* to what is behind it, perhaps */
	bool is_call;	    /* what is behind it is where that returns to */
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
	uint32_t flags_mask; /* of e_flags: these bits are FLAGS, where the */
	uint32_t flags;	     /* class does not tell two ABIs apart */
	const struct reloc_desc *relocs; /* indexed by type */
	size_t nrelocs;
	uint32_t reloc_none;  /* R_*_NONE */
	bool has_three_types; /* r_info of ELF64 holds a symbol and, of a byte
				 each, a special symbol and three types, in an
				 order of its own */
	bool has_type_data;   /* only the lowest byte of the type of ELF64 is
				 one; the others are data */
	bool uses_rela;	      /* ld -r keeps addends in the relocations */
	uint32_t reloc_index; /* of a function in .ARM.exidx; 0: there is none */
	uint32_t reloc_pc32;  /* S + A - P in a 32-bit word of data */
	uint32_t reloc_relative;  /* run-time: the load address is added to the
				     addend; 0 if there is none */
	uint32_t reloc_jump_slot; /* run-time: the slot of a PLT entry */
	uint32_t reloc_irelative; /* run-time: what the function at the
				     addend returns; 0 if there is none */
	uint32_t stub_align;
	uint8_t slot_width; /* of a word that a PLT entry loads; 0 for that of
			       an address */
	uint8_t delay_slot; /* bytes behind a branch that it runs before it
			       goes; 0 if it does not */
	uint8_t fill[4];    /* what assemblers and linkers fill gaps with, in
			       memory order, where that is not one byte */
	uint8_t fill_size;  /* 0 if it is */
	uint32_t trap;	    /* with which lld fills gaps, if FILL is not; or 0 */
	uint8_t mode_bits;  /* all modes or'ed, 0 if there is only one */
	const struct descriptor_desc *descriptors; /* NULL if a function's
						      symbol is that of its
						      code */

	/*
	 * Sets the mode that the mapping symbol NAME begins, or MODE_DATA;
	 * false if it is none. NULL without modes.
	 */
	bool (*mapping_mode)(const char *name, uint8_t *mode);

	/*
	 * The mapping symbol to put at the start of generated code in MODE.
	 * NULL if there is no need of any.
	 */
	const char *(*mapping_name)(uint8_t mode);

	/*
	 * Verify: of how many bytes each the units are whose order the final
	 * link has reversed in code of MODE of an image with E_FLAGS; 1 if it
	 * has not. NULL if linkers never do.
	 */
	unsigned (*swap_unit)(uint32_t e_flags, uint8_t mode);

	/*
	 * Which sites one store may switch while other CPUs run them: the
	 * width of a naturally aligned store that the architecture lets
	 * instruction fetch see whole or not at all, 0 if it promises nothing;
	 * and for which sites it promises that of both instructions.
	 */
	uint8_t store_width;
	uint8_t store_sites; /* of enum store_site */

	/*
	 * What a file with these e_flags holds that cannot be decoded, and
	 * the compiler option that avoids it; NULL if nothing. May be NULL.
	 */
	const char *(*refuse_flags)(uint32_t flags, const char **remedy);

	/*
	 * The section, beside code, where compilers keep the addresses of
	 * functions that code calls by them, and the option that makes it do
	 * so. NULL if there is none.
	 */
	const struct section_desc *pool;

	/*
	 * The section that only a file has whose code is of another ABI, which
	 * cannot be decoded, whatever its flags say. NULL if there is none.
	 */
	const struct section_desc *refuse_section;

	/*
	 * Which one of the same name it is, as the SIZE bytes of a section of
	 * type ATTRIBUTES_TYPE say, where flags do not tell. NULL if they do.
	 */
	uint32_t attributes_type;
	const struct arch *(*refine)(const struct arch *arch,
				     const uint8_t *bytes, size_t size);

	/*
	 * Writes the code of an empty function in MODE, or of one that returns
	 * 0, with HASH in an instruction that does nothing of note, so that no
	 * two are the same. Returns its length, at most ARCH_STUB_MAX.
	 */
	unsigned (*make_stub)(const struct arch *arch, uint8_t mode,
			      bool is_enabled, uint32_t hash, uint8_t *bytes);

	/*
	 * Writes what the site at OFFSET of CODE is when it is disabled for
	 * good: an instruction that does nothing, returns, or yields 0.
	 * Returns its length, or 0 if no one instruction does that, and the
	 * site stays with the stub. The same for a site that is disabled
	 * already. Writes at most DISABLED_MAX bytes, and the length of the
	 * branch exactly.
	 */
	unsigned (*disable)(const struct arch *arch, enum site_form form,
			    bool is_enabled, const struct code *code,
			    uint64_t offset, uint8_t bytes[DISABLED_MAX]);

	/*
	 * Generator: what finds sites by relocations, declared in scan.h.
	 * Verify does not include that, and finds them on its own.
	 */
	const struct arch_scan *scan;

	/*
	 * Verify: decodes the direct branch at OFFSET of CODE, if it is one.
	 * Where marks do not tell the mode, only what is a branch in one of
	 * them alone.
	 */
	bool (*decode_branch)(const struct arch *arch, const struct code *code,
			      uint64_t offset, struct branch *branch);

	/*
	 * Verify: calls FOUND for each offset of CODE at which a direct branch
	 * to [LOW, HIGH] can be read, instruction boundary or not, in any
	 * order; in each mode where marks do not tell it.
	 */
	void (*each_branch)(const struct arch *arch, const struct code *code,
			    uint64_t low, uint64_t high,
			    void (*found)(void *ctx, uint64_t offset,
					  const struct branch *branch),
			    void *ctx);

	/*
	 * Calls FOUND for each offset of CODE at which a PC-relative operand
	 * that means TARGET in [LOW, HIGH] can be read. NULL if addresses can
	 * be computed in ways that bytes do not show: then nothing is dead.
	 */
	void (*each_operand)(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx);

	/*
	 * Calls FOUND for each offset of CODE at which instructions form the
	 * address TARGET in [LOW, HIGH] out of their own, with distances that
	 * an assembler has filled in: in the field at OFFSET, of four bytes at
	 * most. NULL if none do.
	 */
	void (*each_address)(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx);

	/*
	 * What relocation R of text adds to the value of its symbol to mean
	 * what its instruction does, where that is neither the addend nor
	 * arch_reloc_bias of it: FIELD is what it applies to. If it tells the
	 * lower bits alone, *STEP is what the rest is a multiple of; if it
	 * tells none, the result is NO_LEAD. NULL where arch_reloc_lead needs
	 * no such hook.
	 */
	int64_t (*reloc_lead)(const struct arch *arch, const uint8_t *field,
			      const struct reloc *r, uint64_t *step);

	/*
	 * each_branch and each_operand at once, where that takes one look at
	 * CODE and not two: arch_each_reference calls it. NULL if it is of no
	 * use.
	 */
	void (*each_both)(const struct arch *arch, const struct code *code,
			  uint64_t low, uint64_t high,
			  void (*branch)(void *ctx, uint64_t offset,
					 const struct branch *branch),
			  void (*operand)(void *ctx, uint64_t offset,
					  uint64_t target),
			  void *ctx);

	/*
	 * Where a function at START of CODE, which is to end at END, does end:
	 * behind its last instruction that never goes on to the next one,
	 * whatever happens, if all behind that does nothing. NO_END if code
	 * may run on past END, or its bytes do not tell. NULL where
	 * each_operand is.
	 */
	uint64_t (*find_end)(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t end);

	/*
	 * Verify: does an instruction begin at OFFSET, if one begins at START?
	 * True as well where the bytes between cannot be decoded.
	 */
	bool (*is_boundary)(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset);

	/*
	 * Verify: what the instruction at OFFSET of CODE is. False where the
	 * bytes cannot be decoded; it goes on only where that is certain, and
	 * so not behind a trap. NULL where each aligned word is an
	 * instruction.
	 */
	bool (*step)(const struct arch *arch, const struct code *code,
		     uint64_t offset, struct step *step);

	/*
	 * Verify: branches of more bytes than this are not read out of other
	 * instructions by chance: where such bytes are, they are one.
	 */
	uint8_t chance_length;

	/*
	 * Verify: where that ends what assemblers and linkers fill the gap
	 * [START, END) of CODE between two functions with; START if it does not
	 * begin so. Instructions that do nothing, or a branch over such. NULL
	 * where nothing in it reads as a branch.
	 */
	uint64_t (*padding_end)(const struct arch *arch,
				const struct code *code, uint64_t start,
				uint64_t end);

	/*
	 * Verify: is the difference between BEFORE and AFTER (both SIZE bytes
	 * of one section) at relocation R one that linkers are known to make?
	 * Sets the RANGE it covers.
	 */
	bool (*is_rewrite)(const struct arch *arch, const uint8_t *before,
			   const uint8_t *after, size_t size,
			   const struct reloc *r, struct byte_range *range);

	/*
	 * Verify: is that difference, which is_rewrite knows, one that they
	 * make only of what is for a weak symbol that nothing defines? AFTER is
	 * from the field of R on. NULL if there is none such.
	 */
	bool (*is_for_nowhere)(const struct arch *arch, const uint8_t *after,
			       const struct reloc *r);

	/*
	 * Verify: within how many bytes of the field of a relocation of TYPE
	 * may is_rewrite say so? 0 if nothing but the field changes. NULL if
	 * that is not known: then it is taken to be many, for all types.
	 */
	unsigned (*rewrite_reach)(const struct arch *arch, uint32_t type);

	/*
	 * Verify, where linkers delete code: the first of the N relocations
	 * RELOCS, which are sorted, is at the first byte of BEFORE, code of the
	 * partial to the end of its section, and the image has AFTER there. Is
	 * that another form than the one of before, and one that linkers are
	 * known to make of it? Then sets how many bytes of each it takes,
	 * having judged all relocations in there. The place of BEFORE is an
	 * offset and no address. NULL if nothing relaxes.
	 */
	bool (*relax)(const struct arch *arch, const struct reloc *relocs,
		      size_t n, const struct code *before,
		      const struct code *after, unsigned *nbefore,
		      unsigned *nafter);

	/*
	 * Verify: the address of the slot through which the PLT entry at
	 * OFFSET of CODE jumps. GOT is the address of the GOT for ISAs whose
	 * PLT addresses it by register, else 0.
	 */
	bool (*decode_plt)(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *slot);

	/*
	 * The symbol whose value decode_plt gets as GOT: what the register
	 * points to. NULL for _GLOBAL_OFFSET_TABLE_. Where functions have
	 * descriptors, it is what the second words of these hold.
	 */
	const char *got_symbol;

	/*
	 * The section of addresses that instructions branch to by a number, and
	 * nothing else; or NULL.
	 */
	const char *jump_table;

	/*
	 * How far behind the address of a function calls from its own
	 * component enter it, from the st_other of its symbol. NULL if all
	 * enter it at its address.
	 */
	unsigned (*local_entry)(uint8_t other);

	/*
	 * Verify: to what the function at OFFSET of CODE sets the register that
	 * decode_plt and decode_veneer get as GOT, before its local entry, or
	 * where it has none, before it branches. A linker may have got that
	 * wrong, and one function may count from elsewhere than another. False
	 * if the bytes do not tell. NULL if functions do no such thing.
	 */
	bool (*sets_got)(const struct arch *arch, const struct code *code,
			 uint64_t offset, uint64_t *got);

	/*
	 * Verify: does the code at OFFSET of CODE do nothing but go on to an
	 * address that it holds, which is TARGET? What linkers put between a
	 * branch and its target when that is too far away, or of another
	 * instruction set: a veneer, thunk or long-branch stub. Returns its
	 * length, 0 if it is none. TARGET is a pointer, with the mode in its
	 * low bits. GOT is as for decode_plt. A plain jump is not for this
	 * hook. NULL if linkers make nothing of the kind.
	 */
	unsigned (*decode_veneer)(const struct arch *arch,
				  const struct code *code, uint64_t offset,
				  uint64_t got, uint64_t *target);

	/*
	 * The length of the code at OFFSET of CODE that a linker adds for
	 * others to call, if it is that; or 0. NULL if none does.
	 */
	unsigned (*added_length)(const struct arch *arch,
				 const struct code *code, uint64_t offset);

	/*
	 * Verify: the function that is behind the secure gateway at OFFSET of
	 * CODE, if that is one. Linkers give the global name of such a function
	 * to the gateway. NULL if they make nothing of the kind.
	 */
	bool (*decode_gateway)(const struct arch *arch, const struct code *code,
			       uint64_t offset, uint64_t *target);

	/*
	 * Verify: is the byte at OFFSET of CODE in a branch to a copy of one
	 * instruction, which does the same wherever it is, with a branch back
	 * behind it? What linkers leave where they move an instruction away
	 * because of a processor's erratum. The caller compares the copy; of
	 * what is other instructions, is_redirect tells whether they are right.
	 * NULL if linkers make nothing of the kind.
	 */
	bool (*decode_detour)(const struct arch *arch, const struct code *code,
			      uint64_t offset, struct detour *detour);

	/*
	 * Verify: is the byte at OFFSET of BEFORE, a section of the partial
	 * with the address that it has in the image, in a branch that AFTER,
	 * which is of the image, leads on by way of a veneer; or in another
	 * instruction that a veneer does in its place? For the same reason,
	 * where more changes than the field of a relocation. Or in one that the
	 * linker exchanges though it has no relocation at all, and the caller
	 * takes that for the same. NULL if linkers make nothing of the kind.
	 */
	bool (*is_redirect)(const struct arch *arch, const struct code *before,
			    const struct code *after, uint64_t offset,
			    struct redirect *redirect);

	/*
	 * Verify: may is_redirect say so of the byte at OFFSET of BEFORE, at
	 * whatever address, if decode_detour finds nothing in the image? NULL
	 * if it never does.
	 */
	bool (*may_redirect)(const struct arch *arch, const struct code *before,
			     uint64_t offset);
};

/* NULL if sdtlink does not know it. */
const struct arch *arch_find(uint16_t machine, bool is_64, bool is_big_endian,
			     uint32_t flags);

/* The one with that index, or NULL behind the last. */
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

/* ADDR as the machine counts: modulo 2^32 where addresses have 32 bits. */
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

/* The hook find_end where each aligned word is an instruction. */
uint64_t arch_find_word_end(const struct code *code, uint64_t start,
			    uint64_t end, uint32_t (*read)(const uint8_t *p),
			    enum insn_flow (*flow)(uint32_t insn));

/*
 * What the gABI calls the machine of a file that arch_find knows nothing of;
 * NULL if it is none of the common ones. Sets REMEDY, where the compiler can
 * make code for another that is known.
 */
const char *arch_machine_name(uint16_t machine, bool is_64,
			      const char **remedy);

/*
 * Sets MACHINE (EM_*) and IS_64 to what the PE format calls PE; leaves them if
 * that is a machine that no arch is of.
 */
void arch_pe_machine(uint16_t pe, uint16_t *machine, bool *is_64);

/* Does GNU ld link ELF objects of MACHINE (EM_*) into PE images? */
bool arch_pe_is_linked(uint16_t machine);

/*
 * The relocation of ELF that does what BASE, a base relocation of PE for that
 * machine, does; 0 if there is none.
 */
uint16_t arch_pe_reloc(uint16_t machine, unsigned base);

/* All of them, as a list for a message. */
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

/* Does it set all bits of its field? True too if it has none. */
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
 * Is that so wherever a section goes that is a multiple of ALIGN, with ADDR an
 * offset in it? An ALIGN of 0: the site may move in it, and be shortened.
 */
bool arch_one_store_is_known(const struct arch *arch, enum site_form form,
			     bool is_enabled, uint8_t mode, uint64_t align,
			     unsigned length);

/* Added to S + A, what the instruction refers to: 0, or the field's width. */
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
 * What relocation R adds to the value of its symbol to mean what it does: see
 * the hook. BYTES has SIZE bytes, of text if IS_TEXT, and R may lie behind
 * them; IS_RELA: the addend is in R. *STEP is 0 if all bits are told.
 */
int64_t arch_reloc_lead(const struct arch *arch, const uint8_t *bytes,
			size_t size, bool is_text, bool is_rela,
			const struct reloc *r, uint64_t *step);

/*
 * Does a field of that type lead to a word that holds an address? Then the
 * addend may be that word's, and not the symbol's.
 */
bool arch_reloc_has_slot(const struct arch *arch, uint32_t type);

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
