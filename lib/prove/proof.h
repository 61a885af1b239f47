/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a proof, and what the files of verify offer each other. In the
 * order of the proof:
 *
 * What the partials say
 *   gather.c      reads the partials and the final at the same time
 *   collected.c   collects what the proof takes from a partial alone
 *   proof-site.c  lists the sites of a partial
 *   extents.c     finds the function of each site
 *   aliases.c     refuses uses of a probe function's address by another name
 *   namesakes.c   indexes the names of all partials
 *   kinds.c       groups sections that are alike, to look for each kind once
 *   split.c       pairs the two halves of a function that the compiler split
 *   siteless.c    lists functions without sites
 *   versions.c    takes versions off names, as linkers do
 *
 * Where it is in the final
 *   stubs.c       finds the stubs
 *   sections.c    places each section that has sites
 *   place.c       compares a section with the bytes at one address
 *   parts.c       compares what linkers only rewrite together
 *   relaxed.c     does the same where the linker may shorten text
 *   implied.c     lists the places that ambiguous names allow
 *   instead.c     tells another object's definition from ours
 *   fixed.c       says which bytes of a section no linker changes
 *   seek.c        searches all text for sections that no symbol places
 *   candidates.c  collects the places that a section fits
 *   described.c   rules places out by what .eh_frame says
 *   references.c  rules out places to which callers do not lead
 *   class.c       groups sections that are alike and fit the same places
 *   circle.c      the same for sections that have only some places in common
 *   choose.c      chooses which place each section of a class gets
 *   assign.c      settles classes where their places decide
 *   account.c     finds the bytes of sections that no symbol names
 *   folded.c      judges sections that share an address
 *   named.c       looks for the names of what is gone, or shares a place
 *   overlays.c    refuses text that shares addresses with other text
 *   unknown.c     judges rewritten text, for --text=sites
 *   linked-from.c checks that the final was linked from the partials
 *   bytecode.c    checks whether the final was made from LTO bytecode
 *   lookup.c      answers which section and which site is at an address
 *
 * Whether each site is right
 *   addresses.c   computes the addresses of a section's sites
 *   decode.c      decodes the code at a site, on or off
 *   branch.c      checks the branch at each site
 *   calls.c       checks how any branch enters what it leads to
 *   areas.c       checks the base registers of small data
 *   reach.c       follows veneers and PLT entries to a stub
 *   stub-code.c   checks that stubs of --inject do nothing
 *   lost-stubs.c  reports stubs without a name
 *   dead.c        finds sites that nothing can run
 *   callers.c     checks that nothing calls what the image lacks
 *   kept.c        checks that nothing refers to what the image lacks
 *
 * The table, and what else leads to a stub
 *   entries.c     sorts the entries of the table by address
 *   match.c       compares each entry with its site
 *   unmatched-entry.c  explains entries without a site
 *   unmatched-site.c   reports sites without an entry
 *   extra.c       finds branches to stubs that are no sites
 *   decoy.c       discards bytes that only read like such a branch
 *   flow.c        finds where the instructions of a function begin
 *   origin.c      finds which partial such a branch comes from
 *   records.c     reads the records of --nop
 *   tracepoints.c checks the records of tracepoints
 *   flashed.c     compares the file that is flashed
 *   alone.c       checks a final without partials
 *
 *   verify.c      runs all steps, and checks the image's relocations
 *   report.c      fills in where a finding is
 */
#ifndef SDTLINK_PROOF_H
#define SDTLINK_PROOF_H

#include "elf/functions.h"
#include "elf/image.h"
#include "place.h"
#include "table/table.h"
#include "verify.h"
#include "proof-site.h"
#include "records.h"

/* Further findings are only counted. */
#define FINDINGS_MAX 100

struct stub {
	const char *symbol;
	uint64_t addr;
	uint64_t size;	    /* of its symbol */
	uint64_t entry;	    /* where calls from the same component enter */
	uint64_t pointer;   /* the value of a pointer to the stub */
	uint8_t mode;	    /* of its code */
	bool is_open;	    /* another component may define it, too */
	bool is_hidden;	    /* no strong symbol exports it */
	uint32_t versioned; /* a symbol of the stub with a version, or 0 */
	bool has_versions;  /* these symbols are at different addresses */
};

/* A stub, or code of the linker that goes on to a stub. */
struct target {
	uint64_t addr;
	uint64_t next; /* the linker's code that this goes on to, or 0 */
	uint64_t slot; /* where it loads the stub's address from, or 0 */
	unsigned size; /* of the linker's code; 0 for the stub itself */
	bool is_used;  /* a site goes through it */
	const struct stub *stub;
};

/* A section of a partial whose address in the final is known. */
struct placed {
	uint64_t addr;
	uint64_t size;
	uint32_t shndx;
	size_t first, end;    /* its sites: indices of the list */
	size_t k;	      /* the number of its partial */
	size_t order;	      /* among sections at one address */
	bool is_suspect;      /* its bytes differ */
	bool is_shared;	      /* another section has this address, too */
	bool is_exchangeable; /* another one may be here instead */
	bool is_relaxed;      /* its offsets are not those of the image */
	bool is_certain;      /* a global name says so, or who calls it */
	struct section_relocs relocs; /* owned */
	/* Instructions that nothing explains: offsets, ascending; owned. */
	struct byte_range *unknown;
	size_t nunknown;
};

/* Is an instruction of PL that nothing explains at OFFSET? */
static inline bool placed_is_unknown(const struct placed *pl, uint64_t offset)
{
	for (size_t i = 0; i < pl->nunknown; i++)
		if (pl->unknown[i].start <= offset &&
		    offset < pl->unknown[i].end)
			return true;
	return false;
}

/* ADDR + SIZE, or the last address there is. */
static inline uint64_t address_behind(uint64_t addr, uint64_t size)
{
	return addr < UINT64_MAX - size ? addr + size : UINT64_MAX;
}

/* The addresses at which any placed section is, ascending. */
struct occupied {
	struct byte_range *ranges; /* owned; they do not overlap */
	size_t n;
};

/* A section to search for by its bytes, and the proof of its partial. */
struct wanted {
	struct proof *p;
	struct pending *s;
};

/* A section that its own symbols do not place. */
struct pending {
	size_t first, end;	      /* its sites: indices of the list */
	struct section_relocs relocs; /* owned until it is settled */
	struct placement pl;	      /* its candidates; owned likewise */
	uint64_t align;		      /* the search visits multiples of this */
	size_t nnamed;		      /* how many candidates symbols gave */
	bool is_wanted;		      /* search where no symbol is, too */
	bool is_misfit;		      /* no candidate has the right sites */
	bool is_unrecorded;	      /* for lack of records of --nop */
	bool is_referenced;	      /* callers lead to each candidate */
	bool is_exchangeable;	      /* as in struct placed */
	bool is_settled;
	bool is_bearable; /* it differs, but --text=sites can accept that */
	struct byte_range *unknown; /* as in struct placed */
	size_t nunknown;
	struct kind *kind; /* or NULL; owns the candidates unless: */
	bool owns_candidates;
	/* Sections that share all candidates form a group. Its model holds
	 * the candidates, and the list of its members. */
	struct pending *model; /* NULL: this section is the model */
	struct pending *last;  /* in the model: the last member */
	size_t n;	       /* in the model: the number of members */
	size_t noccupied;      /* candidates that are taken: see assign.c */
	bool is_disputing;     /* it has disputed all its candidates */
	struct wanted next;    /* the next member */
};

/* Addresses at which a function may begin, ascending. */
struct starts {
	uint64_t *addrs; /* owned */
	size_t n;
	/* Stretches of adjacent addresses, the longest first; owned. */
	struct run {
		size_t first, n; /* indices of addrs */
	} * runs;
	size_t nruns;
};

/* The placed sites of one partial, by address. */
struct site_index {
	size_t n;
	size_t next; /* the item behind the last answer */
	const struct proof_site *items[];
};

/*
 * The placed sites of all partials, by address and then by partial. Each
 * partial has at most one item for an address.
 */
struct shared_site {
	uint64_t addr;
	const struct proof_site *site;
	size_t k; /* the number of its partial */
	/* The first item of an address sums up all items there: */
	size_t n;	 /* their number */
	size_t nfolded;	 /* with the sites that were folded into them */
	bool keeps_stub; /* one of them does */
	bool is_mixed;	 /* they are sites of different probes */
};

struct shared_sites {
	struct shared_site *items; /* owned */
	size_t n;
	size_t last; /* the first item of the last answer */
};

/*
 * Which entries of the table are about sites of which partial, in order.
 * Entries about no site belong to the first partial.
 */
struct own_entries {
	size_t *ends;  /* a 0, then where each partial's entries end; owned */
	size_t *items; /* indices of the table's entries; owned */
};

/* What is proved about an entry of the table in an image without names. */
enum entry_state {
	ENTRY_OPEN,
	ENTRY_PROVED,	/* its site's section has a known place */
	ENTRY_DISPUTED, /* another partial may have that place */
};

/* What all partials share: the image, and what is known about it. */
struct verify_run {
	struct diag *d;
	const struct options *options;
	struct verification *v;
	struct image img;
	struct proof *proofs; /* one for each partial */
	size_t nproofs;
	struct table table;
	bool has_table;
	bool is_damaged;	/* the table cannot be read */
	struct records records; /* of sites that --nop switched off */
	uint8_t *entry_states;	/* enum entry_state of each; if is_nameless */
	const struct table_entry **entries_by_addr; /* of the table */
	struct own_entries *own_entries; /* NULL: one partial owns them all */
	struct stub *stubs;		 /* by symbol */
	size_t nstubs;
	const char **lost; /* probe functions that the image lacks */
	size_t nlost;
	struct stub **stubs_by_addr;
	/* Values of the GOT pointer: those that functions set, and that of the
	 * symbol. */
	uint64_t *gots;
	size_t ngots;
	/* The value that all these functions set; the symbol's if none sets
	 * one; 0 if they differ. */
	uint64_t usual_got;
	struct target *targets; /* whatever leads to a stub, by address */
	size_t ntargets;
	struct places *places;	     /* see lookup.c */
	struct occupied occupied;    /* empty until all sections are placed */
	struct namesakes *namesakes; /* see namesakes.h */
	struct kinds *kinds;	     /* see kinds.h */
	struct siteless *siteless;   /* see siteless.h */
	struct described *described; /* see described.h */
	struct shared_sites *shared; /* NULL until all sections are placed */
	bool keeps_locals; /* the image has local symbols of a partial */
};

/* The symbols (FILE, END] of the image are of one source file: instead.c */
struct file_range {
	uint32_t file, end;
	bool is_own;
};

/* The proof of one partial. */
struct proof {
	struct verify_run *run;
	const struct object *partial;
	struct object unversioned;	/* see versions.c */
	const struct object *versioned; /* the partial before that, or NULL */
	char *strings;			/* of that; owned */
	struct function_index index;	/* of the partial, for messages */
	struct names functions;		/* of the partial */
	struct placer placer;
	struct proof_site_list list;
	bool is_injected;      /* --inject wrote the partial */
	bool has_branches;     /* it was injected, and without --nop */
	struct placed *placed; /* by address */
	size_t nplaced;
	size_t nsorted; /* how many of them lookup_sort_placed has sorted */
	struct pending *pending;
	size_t npending;
	/* By section of the partial: its index in PENDING plus one, or 0. */
	size_t *pending_of;
	uint32_t *siblings;		/* by section: see split_find_sibling */
	struct byte_range *site_ranges; /* the bytes of each site */
	struct references *references;	/* while references_apply runs */
	struct site_index *sites;	/* owned; NULL until all are placed */
	/* The last function of no partial that was reported; or NULL. */
	const char *foreign;
	bool *is_suspect;  /* by section: its bytes differ */
	bool has_suspects; /* one of these is in no COMDAT group */
	bool has_absent;   /* a section was not found at all */
	/* Do symbols show that it was linked? Set by the first question. */
	enum { LINKED_UNKNOWN, LINKED_NO, LINKED_YES } linked;
	struct file_range last_file;
	/* In the first partial: lookup_may_be_unnamed was reported. */
	bool has_unnamed;
};

/* For findings: whose sites the sites are. */
static inline const char *sites_owner(const struct verify_run *run)
{
	return run->v->is_alone ? "the table" : "the partial";
}

/* --- Reports (report.c) ------------------------------------------------ */

/*
 * Reports FINDING with this text. Sets its names of files and functions, and
 * the usual remedy if it has none.
 */
void report_finding(struct proof *p, struct finding *finding, const char *fmt,
		    ...) __attribute__((format(printf, 3, 4)));

enum lost { LOST_DROPPED, LOST_FOLDED };

/* Notes that the linker dropped SITE, or folded it into another one. */
void report_lost(struct proof *p, const struct proof_site *site, enum lost how);

/* Starts a finding about SITE. */
struct finding report_at_site(const struct proof_site *site, enum cause cause);

/* Reports that ADDR, where SITE is, has another instruction. */
void report_rewritten(struct proof *p, const struct proof_site *site,
		      uint64_t addr);

/* --- Branches, sites and stubs ----------------------------------------- */

/* Decodes the instruction at ADDR of the final. Is it a direct branch? */
bool decode_at(const struct proof *p, uint64_t addr, struct branch *branch);

/* Decodes the instruction at SITE, which is placed. */
bool decode_site(const struct proof *p, const struct proof_site *site,
		 struct branch *branch);

/* The stub of that name, or at that address; or NULL. */
struct stub *stub_find(const struct proof *p, const char *symbol);
struct stub *stub_at(const struct proof *p, uint64_t addr);

/*
 * Fills p->sites. Call it once all sections are placed. Returns -1 on
 * trouble, diagnosed.
 */
int lookup_index_sites(struct proof *p);

/* The site at ADDR: of this partial, or of the first that has one; or NULL. */
const struct proof_site *lookup_own_site_at(const struct proof *p,
					    uint64_t addr);
const struct proof_site *lookup_site_at(const struct proof *p, uint64_t addr);

/* The stub that RELOC's symbol names, perhaps by an alias; or NULL. */
struct stub *stub_called(const struct proof *p,
			 const struct image_reloc *reloc);

/* The stub, in its mode, that a pointer of that value calls; or NULL. */
struct stub *stub_of_pointer(const struct proof *p, uint64_t pointer);

/* Does BRANCH, which is at ADDR, lead to STUB, directly or by one hop? */
bool reach_goes_to(const struct proof *p, uint64_t addr,
		   const struct branch *branch, const struct stub *stub);

/* Sets run->gots. Returns 0, or -1 after diagnosing. */
int reach_list_gots(struct proof *p);

/* Is the function at ADDR the wrapper that ld --wrap puts before STUB? */
bool reach_wraps(const struct proof *p, const struct stub *stub, uint64_t addr);

/*
 * Does a hop that a site goes through load the address of STUB from SLOT, or is
 * SLOT where the loader writes that hop? Once there is a finding, any hop
 * counts: the site may be the one that is missing.
 */
bool reach_has_slot(const struct proof *p, const struct stub *stub,
		    uint64_t slot);

/* Does BRANCH go to a hop, wherever the hop leads? */
bool reach_is_hop(const struct proof *p, const struct branch *branch);

/* Does BRANCH, which is at ADDR, go through the PLT to what the loader chooses?
 */
bool reach_leaves(const struct proof *p, uint64_t addr,
		  const struct branch *branch);

/*
 * stubs_list collects the names of all probe functions: of those with a site,
 * and of those that a partial only mentions, which get a stub as well.
 * stubs_locate then finds the one definition of each.  stubs_check_distinct
 * reports stubs that share an address.
 */
int stubs_list(struct proof *p);
int stubs_locate(struct proof *p);
void stubs_check_distinct(struct proof *p);

/*
 * Reports a stub that has lost its name, though no site branches to it: nothing
 * could show what else calls it. Returns -1 without memory, diagnosed.
 */
int lost_stubs_check(struct proof *all, size_t n);

/* Do symbols of the image show how long stubs are? */
bool stub_has_size(const struct proof *p);

/* Is SYM of the image a stub that --inject made for its name? */
bool stub_code_is(const struct proof *p, const struct symbol *sym);

/* The length of STUB by its code, if --inject made it and no symbol has it. */
uint64_t stub_code_size(const struct proof *p, const struct stub *stub);

/*
 * Writes what the stubs of --inject for SYMBOL begin with in MODE, whatever
 * they return, and zeros behind. It holds the hash of the name. Returns its
 * length.
 */
unsigned stub_code_head(const struct proof *p, const char *symbol, uint8_t mode,
			uint8_t bytes[ARCH_STUB_MAX]);

/* Reports stubs of --inject that do something. */
void stub_code_check(struct proof *p);

/* Sets stub and keeps_stub of the sites. Returns -1 on trouble, diagnosed. */
int stubs_mark_kept(struct proof *p);

/* --- Placing sections -------------------------------------------------- */

/*
 * Takes versions off the names of P where the image lacks them. Returns -1 on
 * trouble, diagnosed. In versions.c.
 */
int versions_drop(struct proof *p);

/* Is NAME that of SYM of P, with its version or as the linker left it? */
bool versions_is_name(const struct proof *p, const struct symbol *sym,
		      const char *name);

/*
 * Are A and B the same name? If one of them has no version, that of the other
 * must be one that the image defines.
 */
bool versions_same(const struct proof *p, const char *a, const char *b);

/* Does the final have a local symbol of the partial? */
bool sections_keep_locals(const struct proof *p);

/* Call it for all partials before sections_place for any. */
int sections_open(struct proof *p);

/*
 * Places each section that has sites, and its sites. Reports sections that are
 * missing or differ. Sections that symbols do not place become pending.
 */
int sections_place(struct proof *p);

/*
 * Reads the relocations of section SHNDX. Its sites [FIRST, END) are exempt:
 * branch.c judges the instructions there. Returns -1 on trouble, diagnosed;
 * call section_relocs_free either way.
 */
int sections_read_relocs(const struct proof *p, uint32_t shndx, size_t first,
			 size_t end, struct section_relocs *relocs);

/*
 * Does the section of SYM, a symbol of the partial, fit if SYM is at ADDR? Its
 * sites [FIRST, END) are exempt.
 */
bool sections_may_be_at(struct proof *p, size_t first, size_t end,
			const struct symbol *sym, uint64_t addr);

/* Sets the addresses of the sites of S as if S were at ADDR. */
int addresses_set(struct proof *p, struct pending *s, uint64_t addr);

/* The same for the place PL; sets PL->size where text relaxes. */
int addresses_set_placed(struct proof *p, struct pending *s,
			 struct placement *pl);

void addresses_unset(struct proof *p, const struct pending *s);

/* The pending section SHNDX as long as it is not settled, or NULL. */
struct pending *sections_find_open(const struct proof *p, uint32_t shndx);

/* Acts on S->pl: adds S to p->placed, or reports it. */
int sections_settle(struct proof *p, struct pending *s);

/*
 * S differs: sets is_bearable if its sites can be proved all the same. With
 * --text=sites, S is then placed, and S->unknown lists what differs. Returns
 * -1 on trouble, diagnosed.
 */
int unknown_judge(struct proof *p, struct pending *s);

/*
 * Is anything in section SHNDX unknown? Call it only after unknown_check has
 * noted it.
 */
bool unknown_has(const struct proof *p, uint32_t shndx);

/* Is anything in [OFFSET, OFFSET + SIZE) of PL unknown? */
bool unknown_is_in(const struct placed *pl, uint64_t offset, uint64_t size);

/*
 * Notes what is unknown, or reports it if it is another section. Call it once
 * all sections are placed. Returns -1 on trouble, diagnosed.
 */
int unknown_check(struct proof *all, size_t n);

/*
 * Settles all pending sections. Call it once symbols have placed all other
 * sections of all partials.
 */
int assign_sections(struct proof *all, size_t n);

/*
 * Reports each section with sites that is not in the image though a function is
 * that calls it, and each such function whose bytes differ. Returns -1 on
 * trouble, diagnosed. In callers.c.
 */
int callers_check(struct proof *all, size_t n);

/*
 * The same by references of any kind, from code and data that is in the image.
 * In kept.c.
 */
int kept_check(struct proof *all, size_t n);

/* Fills p->siblings. Returns -1 on trouble, diagnosed. */
int split_list_siblings(struct proof *p);

/*
 * The sibling of the section of S: the one section that shares jumps of the
 * branch form with it. MANY_SIBLINGS if either has another one, or if a linker
 * may shorten these jumps.
 */
#define NO_SIBLING 0
#define MANY_SIBLINGS UINT32_MAX
uint32_t split_find_sibling(const struct proof *p, const struct pending *s);

/*
 * Drops the candidates of S to which the branches of its sibling, which is
 * placed, do not lead.
 */
void split_drop_apart(const struct proof *p, struct pending *s);

/*
 * Searches text for the N sections of LIST, and adds the places that each fits
 * to its s->pl. SEEK_RIGHT: only places where the sites are right, too.
 * SEEK_NAMELESS: only places where no name covers any byte. Returns -1 on
 * trouble, diagnosed.
 */
enum seek_where { SEEK_ANYWHERE, SEEK_RIGHT, SEEK_NAMELESS };
int seek_sections(struct proof *all, const struct wanted *list, size_t n,
		  enum seek_where where);

/*
 * Reports sections without a symbol in the image whose bytes are there under no
 * name. Call it once all other sections are placed. Returns -1 on trouble,
 * diagnosed.
 */
int account_dropped(struct proof *all, size_t n);

/* Reports folded sections whose sites are off and whose own code is there. */
int account_folded_away(struct proof *all, size_t n);

/* Reports functions whose sites are off and whose name is elsewhere. */
void account_moved(struct proof *p);

/* How many functions NAME are in sections with sites that are at ADDR? */
size_t namesakes_count_own(const struct proof *p, const char *name,
			   uint64_t addr);

/* Reports that something at ADDR, in an overlay, leads to STUB. */
void overlays_report(struct proof *p, uint64_t addr, const struct stub *stub);

/* Refuses overlays that hold stubs or sections with sites. */
int overlays_check(struct proof *all, size_t n);

/* The same for N sections that seem to be dropped; searches for their bytes. */
int overlays_seek(const struct wanted *list, size_t n);

/*
 * The section of SYM does not fit at FOUND, the image's symbol of that name.
 * Did another object define FOUND, and P was not linked? FOUND is weak, or it
 * is local, as linkers make hidden symbols, and has another size.
 */
bool instead_is(struct proof *p, const struct symbol *sym,
		const struct symbol *found, bool relaxes);

/*
 * Does any symbol of P show in the image? None does of an archive member that
 * was not linked.
 */
bool instead_was_linked(struct proof *p);

/*
 * FOUND, the symbol SYMNDX of the image, has the name of OWN, a symbol of P. Is
 * it OWN, which is global and which the linker made local? True only if the
 * image shows that.
 */
bool instead_made_local(struct proof *p, const struct symbol *own,
			const struct symbol *found, uint32_t symndx);

/* Has the image a source file NAME? This looks through all its symbols. */
bool instead_has_file(const struct proof *p, const char *name);

/* Has the image the name of a source file of P? */
bool instead_has_source(const struct proof *p);

/*
 * Section SHNDX fits at no symbol of its names. Did other objects define all
 * these symbols? Then the section is not in the image: the linker would have
 * kept its own symbols. Of what was just linked, not all objects are given.
 */
bool account_is_overridden(struct proof *p, uint32_t shndx);

/* Does a function of a partial, in a section without sites, begin at ADDR? */
bool account_is_siteless_at(const struct proof *p, uint64_t addr);

/* The first site of section SHNDX, or of the next section that has one. */
size_t lookup_sites_from(const struct proof *p, uint32_t shndx);
bool lookup_has_sites(const struct proof *p, uint32_t shndx);

/* The end of the sites of the section that site FIRST is in. */
size_t lookup_section_end(const struct proof *p, size_t first);

/*
 * Was the image linked from these partials? Not if no partial shares a symbol
 * with it; and if it has no section with sites, other code must show it. Both
 * fail with a diagnostic.
 */
int linked_from_check_names(const struct proof *all, size_t n);
int linked_from_check(struct proof *all, size_t n);

/* --- Judging sites ----------------------------------------------------- */

/*
 * The NOPs that --nop makes of SITE. Returns their size, or 0 if --nop leaves
 * such a site alone.
 */
unsigned decode_nops(const struct proof *p, const struct proof_site *site,
		     uint8_t bytes[DISABLED_MAX]);

/* Does the image have the right branch at SITE? */
bool branch_is_right(const struct proof *p, const struct proof_site *site);

/* Does it have the NOPs that --nop makes of SITE? */
bool decode_is_disabled(const struct proof *p, const struct proof_site *site);

/* Does --nop, or did the compiler, switch such a site off? */
bool decode_can_disable(const struct proof *p, const struct proof_site *site);

/* Can a jump go from SITE, of the branch form, to its target? Both are placed.
 */
bool decode_can_jump(const struct proof *p, const struct proof_site *site);

/* Reports placed sites that are neither on nor off; marks those that are off.
 */
void branch_check_sites(struct proof *p);

/*
 * Reports branches of placed sections, sites or not, that enter code in another
 * mode than its own, and calls with something behind that does not go with what
 * is called.
 */
void calls_check(struct proof *p);

/*
 * Reports instructions of placed sections that address a symbol with the base
 * register of another section's.
 */
void areas_check(struct proof *p);

/* Is each of the sites of S on or off, at its present address? */
bool addresses_are_right(const struct proof *p, const struct pending *s);

/* Would it be so if S were at ADDR? Unsets the addresses of its sites. */
bool addresses_are_right_at(struct proof *p, struct pending *s, uint64_t addr);

/*
 * Lists all addresses that lead to a stub, in run->targets. Call it once the
 * sites of all partials have their addresses. Returns -1 on trouble,
 * diagnosed.
 */
int reach_list_targets(struct proof *p);

/* The stub that the listed target at ADDR leads to, or NULL. */
const struct stub *reach_target_at(const struct proof *p, uint64_t addr);

/* The longest generated stub. A longer one is somebody's function, which may
 * jump back into itself. */
#define GENERATED_MAX 32

/* The generated stub that has ADDR inside, not at its start; or NULL. */
const struct stub *stub_around(const struct proof *p, uint64_t addr);

/* Is ADDR in a veneer or PLT entry that a site goes through? */
bool reach_is_veneer(const struct proof *p, uint64_t addr);

/* --- What is where ----------------------------------------------------- */

/*
 * The last section with sites that begins at or below ADDR, if it covers ADDR:
 * of this partial, or of the first that has one; or NULL.
 */
const struct placed *lookup_own_placed_at(const struct proof *p, uint64_t addr);
const struct placed *lookup_placed_at(const struct proof *p, uint64_t addr);

/* Where section SHNDX of P, which has sites or targets, is; NULL: unknown. */
const struct placed *lookup_placed_section(const struct proof *p,
					   uint32_t shndx);

/* Is a section of another partial than P there? */
bool lookup_is_another_placed_at(const struct proof *p, uint64_t addr);

/* How many sections of all partials begin there? */
size_t lookup_count_placed(const struct proof *p, uint64_t addr);

/* The next of these sections, or NULL. Start with *AT = 0. */
const struct placed *lookup_next_start(const struct proof *p, uint64_t addr,
				       size_t *at);

/*
 * Adds PL to the sections of P. Lookups find it at once, but only
 * lookup_sort_placed puts it in its place in p->placed. Both return -1 on
 * trouble, diagnosed.
 */
int lookup_add_placed(struct proof *p, const struct placed *pl);
int lookup_sort_placed(struct verify_run *run);
/* Are there so many unsorted ones that sorting pays? */
bool lookup_has_many_additions(const struct proof *p);
void lookup_free_placed(struct places *places);

/* Fills run->shared. Call it once each partial has its sites. */
int lookup_share_sites(struct verify_run *run);
/* The first item of run->shared at ADDR, or NULL. */
struct shared_site *lookup_shared_sites_at(const struct proof *p,
					   uint64_t addr);
void lookup_free_shared(struct shared_sites *shared);

/*
 * Lists where sections of all partials are now; the caller frees
 * occupied->ranges. BUT_SHARED leaves out starts at which the table shows that
 * other sections may have been folded in; it needs entries_by_addr. Returns -1
 * on trouble, diagnosed.
 */
int lookup_list_occupied(const struct proof *all, bool but_shared,
			 struct occupied *occupied);
bool lookup_is_occupied(const struct occupied *occupied, uint64_t addr);

/* Is a section of any partial at ADDR? Fast once all are placed. */
bool lookup_has_placed(const struct proof *p, uint64_t addr);

/*
 * Is ADDR of the final in a section whose bytes differ? What is wrong there
 * follows from that, and that is reported already.
 */
bool lookup_is_explained(const struct proof *p, uint64_t addr);

/*
 * Do symbols show that the final was made from LTO bytecode? Only asked where
 * text differs.
 */
bool bytecode_is_source(const struct proof *p);

/* Could ADDR be in a section whose symbols the final does not have? */
bool lookup_may_be_unnamed(const struct proof *p, uint64_t addr);

/* --- Text that linkers shorten (relaxed.c) ----------------------------- */

/*
 * Finds section SHNDX, which relaxes and has the sites [FIRST, END), in the
 * image. Returns -1 on trouble, diagnosed.
 */
int relaxed_place(struct proof *p, uint32_t shndx, size_t first, size_t end,
		  const struct section_relocs *relocs, struct placement *pl);

/*
 * Does the section of SYM, with the sites [FIRST, END), fit if SYM is at ADDR?
 * Only what is behind SYM is compared.
 */
bool relaxed_fits(struct proof *p, size_t first, size_t end,
		  const struct section_relocs *relocs, const struct symbol *sym,
		  uint64_t addr);

/*
 * Sets the addresses of these sites, with the section at PL->addr, and
 * PL->size. Where the section does not fit, PL says so, and the sites behind
 * the first difference stay unplaced.
 */
int relaxed_follow(struct proof *p, size_t first, size_t end,
		   const struct section_relocs *relocs, struct placement *pl);

/* Where the bytes are that relocations of a placed section set. */
struct relaxed_fields {
	const struct placed *of;
	uint64_t *addrs; /* ascending; owned */
	size_t n;
	bool is_whole;
};

/*
 * Begins what a relocation of PL sets at ADDR? True if nobody knows. FIELDS,
 * zero at first, is for further questions about PL; its ADDRS are for free().
 */
bool relaxed_begins_field(struct proof *p, const struct placed *pl,
			  uint64_t addr, struct relaxed_fields *fields);

/*
 * If the image has the function OWN of P at FUNCTION, in text that relaxes:
 * begins what a relocation sets at ADDR?
 */
bool relaxed_sets(struct proof *p, const struct symbol *own, uint64_t function,
		  uint64_t addr);

/* Adds those of ADDRS at which the section of [FIRST, END) fits to PL. */
int relaxed_seek(struct proof *p, size_t first, size_t end,
		 const struct section_relocs *relocs, const uint64_t *addrs,
		 size_t naddrs, struct placement *pl);

/* --- Folded sections (folded.c) ---------------------------------------- */

/*
 * Judges sections that share an address. Equal bytes and equal sites: they
 * are one from now on. Else it reports them.
 */
void folded_check(struct proof *p);

/*
 * Does the same for sections that have lost their names, by the table. Call it
 * once the sites of all partials are sorted. Returns -1 on trouble, diagnosed.
 */
int folded_check_nameless(struct proof *all, size_t n);

/* How many sites of all partials are where SITE is? */
size_t folded_count(const struct proof *p, const struct proof_site *site);

/*
 * Does the image have a name fewer times at PL than the partials have sections
 * there with that name? A linker that folds keeps all names, so some of these
 * sections were dropped.
 */
bool folded_has_lost_name(const struct proof *p, const struct placed *pl);

/* --- The table (match.c) ----------------------------------------------- */

/*
 * Takes the run's table, of which table_read has returned STATUS and set FOUND.
 * Returns -1 on trouble, diagnosed.
 */
int match_take_table(struct proof *p, int status, bool found);

/*
 * Fills run->own_entries; needed if there are several partials. Returns -1 on
 * trouble, diagnosed.
 */
int match_share_entries(struct verify_run *run);
void match_free_own_entries(struct own_entries *own);

/* Compares the table with the sites. Returns -1 on trouble, diagnosed. */
int match_table(struct proof *p);

/* Checks the names of functions that stand beside an anchored table. */
void match_check_names(struct proof *all);

/*
 * For an image without names: S may be at ADDR, so entries there that are not
 * about sites of S are not proved.
 */
void match_dispute(struct proof *p, const struct pending *s, uint64_t addr);

/*
 * The same if S fits more places than were listed: no entry is proved that is
 * in any of these places.
 */
int match_dispute_uncounted(struct proof *p, const struct pending *s);

/* For an image without names: counts the proved entries, notes the others. */
void match_count_proved(struct verify_run *run);

/* --- The rest ---------------------------------------------------------- */

/*
 * Sets is_dead of the sites in unnamed ranges that nothing in the image leads
 * to. Returns -1 on trouble, diagnosed.
 */
int dead_mark(struct proof *p);

/*
 * Counts the tracepoints of the partials, and those whose records the final
 * has. Returns -1 on trouble, diagnosed.
 */
int tracepoints_count(struct proof *all, size_t n);

/*
 * Compares the file that is flashed with the final. It must have all text.
 * Text with sites, stubs, table and descriptors must be as in the final, but
 * for fields of run-time relocations.
 */
void flashed_check(struct proof *all, size_t n);

void verify_free(struct verify_run *run);

/* Reports run-time relocations that would change a site, or the table. */
void verify_check_site_relocs(struct proof *p);
void verify_check_table_relocs(struct proof *p);

/* The FNV-1a hash of NAME, which stubs of --inject and records of --nop hold.
 */
uint32_t stub_code_hash(const char *name);

/* Reports branches, and kept relocations, to stubs that are no sites. */
int extra_check(struct proof *p);

#endif
