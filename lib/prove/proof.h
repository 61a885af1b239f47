/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a proof, for the files that verify is made of:
 *   verify.c  the driver; what it reports, and relocations of the image
 *   report.c  what a finding says of its place
 *   proof-site.c  the sites of a partial
 *   decode.c  the code at a site, as it is and as --nop makes it
 *   branch.c  the branch at each site
 *   lookup.c  which section and which site is at an address
 *   aliases.c  uses of their addresses by another name, in the partial
 *   stubs.c   where the stubs are
 *   addresses.c  where the sites of a section are, and if they are right
 *   entries.c  the entries of the table, by address
 *   sections.c  where the sections with sites are
 *   place.c   the places of one section, and whether its bytes are there
 *   namesakes.c  an index of the partials' names
 *   implied.c  where names that others have, too, would have them
 *   instead.c  which definition is another object's
 *   fixed.c   which of their bytes no linker changes
 *   stub-code.c  what the stubs do
 *   unknown.c  text that a linker rewrote in a way that is not known
 *   assign.c  which is which of those that symbols do not tell apart
 *   candidates.c  the places that those fit
 *   kinds.c   those that are alike in all, which are looked for once
 *   split.c  which halves of functions belong together
 *   siteless.c  functions without sites that read like one whose sites are off
 *   described.c  where .eh_frame says that functions begin
 *   seek.c    places of sections that symbols do not tell
 *   account.c  sections that no symbol of the final names
 *   overlays.c  text that shares addresses with other text
 *   linked-from.c whether the final was linked from the partial at all
 *   bytecode.c  whether the final was made from something else
 *   folded.c  sections that the linker made one of
 *   relaxed.c places in text that the linker may have shortened
 *   reach.c   what leads to a stub: veneers, entries of the PLT
 *   match.c   the table against the sites
 *   unmatched-entry.c  its entries that are about none
 *   unmatched-site.c   sites that it does not have
 *   dead.c    sites that may be missing from the table
 *   extra.c   branches to stubs that are no sites
 *   decoy.c   which of them only read so
 *   flow.c    where instructions begin in the function around them
 *   origin.c  whose they are
 *   recorded.c  the records of tracepoints
 *   records.c  the records of --nop
 *   flashed.c  the file that is flashed
 *   alone.c    a final, without partials
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

/* More findings than this are only counted. */
#define FINDINGS_MAX 100

struct stub {
	const char *symbol;
	uint64_t addr;
	uint64_t size;	    /* of its symbol */
	uint64_t entry;	    /* of calls in its own component */
	uint64_t pointer;   /* what a pointer to it holds */
	uint8_t mode;	    /* of its code */
	bool is_open;	    /* another component may define it, too */
	bool is_hidden;	    /* no strong symbol that others see */
	bool has_hop;	    /* the image has a veneer or PLT entry to it */
	uint32_t versioned; /* a symbol of it that has a version; or 0 */
	bool has_versions;  /* that are not at one address */
};

/* A stub, or the linker's code that goes on to it. */
struct target {
	uint64_t addr;
	uint64_t next; /* the veneer that this one goes on to, or 0 */
	uint64_t slot; /* what it loads the address of the stub from, or 0 */
	unsigned size; /* of that code; 0 for the stub itself */
	bool is_used;  /* a site of the partial goes there */
	const struct stub *stub;
};

/* A section of the partial in the final. */
struct placed {
	uint64_t addr;
	uint64_t size;
	uint32_t shndx;
	size_t first, end;	      /* its sites */
	size_t k;		      /* its partial */
	size_t order;		      /* of those at one address */
	bool is_suspect;	      /* its bytes differ */
	bool is_shared;		      /* another one is there, too */
	bool is_relaxed;	      /* offsets in it are not the image's */
	struct section_relocs relocs; /* owned */
	/* Instructions that nothing explains: offsets, ascending; owned. */
	struct byte_range *unknown;
	size_t nunknown;
};

/* Where anything of a partial is: addresses, ascending. */
struct occupied {
	struct byte_range *ranges; /* owned; they do not overlap */
	size_t n;
};

/* A section that is looked for by its bytes, and whose. */
struct wanted {
	struct proof *p;
	struct pending *s;
};

/* A section that symbols alone do not place. */
struct pending {
	size_t first, end;	      /* its sites */
	struct section_relocs relocs; /* owned until it is settled */
	struct placement pl;	      /* likewise its candidates */
	uint64_t align;		      /* while it is looked for: of these */
	size_t nnamed;		      /* of its candidates, that symbols told */
	bool is_wanted;		      /* where no symbol is, too */
	bool is_misfit;		      /* no place has its sites */
	bool is_joined; /* branches lead from and to its sibling */
	bool is_settled;
	bool is_bearable; /* it differs, but --text=sites can do with that */
	struct byte_range *unknown; /* as in struct placed */
	size_t nunknown;
	struct kind *kind; /* or NULL; owns its candidates unless OWNS_CANDIDATES */
	bool owns_candidates;
	/* Those that share all places are a group, whose fits MODEL has. */
	struct pending *model; /* NULL: this one */
	struct pending *last;  /* of the model: of its group of */
	size_t n;	       /* this many */
	size_t noccupied;      /* of its candidates: see assign.c */
	bool is_disputing;     /* likewise: it has, wherever it fits */
	struct wanted next;    /* of the group */
};

/* Addresses at which a function may begin, ascending. */
struct starts {
	uint64_t *addrs; /* owned */
	size_t n;
	/* Those that follow one another, the longest first; owned. */
	struct run {
		size_t first, n; /* indices of addrs */
	} * runs;
	size_t nruns;
};

/* The placed sites, by address. */
struct site_index {
	size_t n;
	size_t next; /* the one behind that which was asked for last */
	const struct proof_site *items[];
};

/*
 * The same of all partials, by address and then partial: those at one address
 * follow one another, one of each partial that has any.
 */
struct shared_site {
	uint64_t addr;
	const struct proof_site *site;
	size_t k;
	/* The first one: of all N at the address, with those folded into them.
	 */
	size_t n;
	size_t nfolded;
	bool keeps_stub; /* one does */
	bool is_mixed;	 /* they are not of one probe */
};

struct shared_sites {
	struct shared_site *items; /* owned */
	size_t n;
	size_t last; /* what was asked for, the first one there */
};

/*
 * Which entries of the table are about sites of which partial, in order. The
 * first one has those of none, too.
 */
struct own_entries {
	size_t *ends;  /* of those of each partial, behind a 0; owned */
	size_t *items; /* indices of the table's entries; owned */
};

/* What is known of an entry of the table, where there are no names. */
enum entry_state {
	ENTRY_OPEN,
	ENTRY_PROVED,	/* of a site whose place is known */
	ENTRY_DISPUTED, /* by another partial */
};

/* What all partials share: the image, and what is at an address of it. */
struct verify_run {
	struct diag *d;
	const struct options *options;
	struct verification *v;
	struct image img;
	struct proof *proofs; /* one of each partial */
	size_t nproofs;
	struct table table;
	bool has_table;
	bool is_damaged;       /* it could not be read */
	struct records records; /* of sites that --nop has disabled */
	uint8_t *entry_states; /* enum entry_state of each; if is_nameless */
	const struct table_entry **entries_by_addr; /* of the table */
	struct own_entries *own_entries;	    /* NULL: all of them */
	struct stub *stubs;			    /* by symbol */
	size_t nstubs;
	const char **lost; /* those that the image does not have */
	size_t nlost;
	struct stub **stubs_by_addr;
	uint64_t *gots; /* what hops count from: what functions set, and the
			   symbol's value */
	size_t ngots;
	uint64_t usual_got; /* that of all functions that tell, or the symbol's
			       if none does; 0 if they differ */
	struct target *targets; /* what leads to a stub, by address */
	size_t ntargets;
	struct places *places;
	struct occupied occupied;    /* empty until all are placed */
	struct namesakes *namesakes; /* see namesakes.h */
	struct kinds *kinds;	     /* see kinds.h */
	struct siteless *siteless;   /* see siteless.h */
	struct described *described; /* see described.h */
	struct shared_sites *shared; /* NULL until all are placed */
	bool keeps_locals; /* the image has local symbols of a partial */
};

/* The proof of one partial. */
struct proof {
	struct verify_run *run;
	const struct object *partial;
	struct function_index index; /* of the partial, for notes */
	struct names functions;	     /* of the partial */
	struct placer placer;
	struct proof_site_list list;
	bool is_injected;      /* the partial has what --inject wrote, */
	bool has_branches;     /* of all its sites, not switched off */
	struct placed *placed; /* by address */
	size_t nplaced;
	size_t nsorted; /* of them: see lookup_sort_placed */
	struct pending *pending;
	size_t npending;
	size_t *pending_of; /* by section of the partial: its number there, from
			       1; or 0 */
	uint32_t *siblings; /* likewise: see split_find_sibling */
	struct byte_range *site_ranges; /* of each site, in its section */
	struct site_index *sites;	/* owned; NULL until all are placed */
	/* The last function of no partial that was reported; or NULL. */
	const char *foreign;
	bool *is_suspect;  /* by section of the partial: it differs */
	bool has_suspects; /* one that is in no COMDAT group does */
	bool has_absent;   /* a section was not found at all */
	/* Do symbols tell that it was linked? Once somebody has asked. */
	enum { LINKED_UNKNOWN, LINKED_NO, LINKED_YES } linked;
	bool has_unnamed;  /* of the first partial: lookup_may_be_unnamed was
			      reported */
};

/* What findings say that the sites are those of. */
static inline const char *sites_owner(const struct verify_run *run)
{
	return run->v->is_alone ? "the table" : "the partial";
}

/* Reports FINDING; its names, and its remedy if it has none, are set here. */
void report_finding(struct proof *p, struct finding *finding, const char *fmt,
		    ...) __attribute__((format(printf, 3, 4)));

/* A finding about a site of the partial. */
enum lost { LOST_DROPPED, LOST_FOLDED };

/* Notes that the site SITE is not on its own in the final. */
void report_lost(struct proof *p, const struct proof_site *site, enum lost how);

struct finding report_at_site(const struct proof_site *site, enum cause cause);

/* The instruction of SITE, which is at ADDR, is another one. */
void report_rewritten(struct proof *p, const struct proof_site *site,
		      uint64_t addr);

/* Decodes the direct branch at ADDR of the final, if it is one. */
bool decode_at(const struct proof *p, uint64_t addr, struct branch *branch);

/* The same of the placed site SITE. */
bool decode_site(const struct proof *p, const struct proof_site *site,
		 struct branch *branch);

/* NULL if there is none. */
struct stub *stub_find(const struct proof *p, const char *symbol);
struct stub *stub_at(const struct proof *p, uint64_t addr);

/* Fills p->sites, once all are placed. Returns -1 on trouble, diagnosed. */
int lookup_index_sites(struct proof *p);

/* The site at ADDR of this partial, or of the first that has one; or NULL. */
const struct proof_site *lookup_own_site_at(const struct proof *p,
					    uint64_t addr);
const struct proof_site *lookup_site_at(const struct proof *p, uint64_t addr);

/* The stub that the symbol of RELOC is, perhaps by another name. */
struct stub *stub_called(const struct proof *p,
			 const struct image_reloc *reloc);

/* The stub that a pointer of that value calls, in its mode, or NULL. */
struct stub *stub_of_pointer(const struct proof *p, uint64_t pointer);

/*
 * Does BRANCH, which is at ADDR, lead to the stub: goes it there, or to one hop
 * before it?
 */
bool reach_goes_to(const struct proof *p, uint64_t addr,
		   const struct branch *branch, const struct stub *stub);

/* Sets run->gots. Returns 0, or -1 after diagnosing. */
int reach_list_gots(struct proof *p);

/* Is what --wrap puts before STUB at ADDR? It is somebody's, local or not. */
bool reach_wraps(const struct proof *p, const struct stub *stub, uint64_t addr);

/*
 * Does the linker's code, on the way from a site, load the address of STUB from
 * SLOT? A function of somebody's may read like that code. Once there is a
 * finding, it may be on the way from the branch that is one.
 */
bool reach_has_slot(const struct proof *p, const struct stub *stub,
		    uint64_t slot);

/* Is code at the target of BRANCH a hop, wherever it leads? */
bool reach_is_hop(const struct proof *p, const struct branch *branch);

/*
 * The names of all probe functions, once each: those that have a site, and
 * those that a partial only mentions, which get a stub as well. Then the one
 * definition of each, and no two at one address.
 */
int stubs_list(struct proof *p);
int stubs_locate(struct proof *p);
/*
 * Where a stub is not in the image, and no site goes there, it has lost its
 * name, and nothing tells what else does.
 */
void stubs_check_lost(struct proof *all, size_t n);
void stubs_check_distinct(struct proof *p);

/* Do symbols of the image tell how long stubs are? */
bool stub_has_size(const struct proof *p);

/* Is SYM of the image a stub as --inject makes it of that name? */
bool stub_code_is(const struct proof *p, const struct symbol *sym);

/* How long STUB is if it is as --inject makes it, and no symbol says so. */
uint64_t stub_code_size(const struct proof *p, const struct stub *stub);

/* Finds stubs of --inject that do something. */
void stub_code_check(struct proof *p);

/* Sets stub and keeps_stub of the sites. Returns -1 on trouble, diagnosed.
 */
int stubs_mark_kept(struct proof *p);

/* Is there a local symbol of the partial in the final? */
bool sections_keep_locals(const struct proof *p);

/*
 * Places each section with sites, and its sites; reports those that are
 * not there or differ. Those that symbols do not place are pending then.
 */
int sections_place(struct proof *p);

/*
 * The relocations of section SHNDX, whose sites are [FIRST, END); these are
 * exempt, as the instructions there are judged by branch.c. Returns -1 on
 * trouble, diagnosed; section_relocs_free is due either way.
 */
int sections_read_relocs(const struct proof *p, uint32_t shndx, size_t first,
			 size_t end, struct section_relocs *relocs);

/*
 * May the section of SYM, of the partial, be where SYM is at ADDR? Its sites
 * [FIRST, END) are exempt.
 */
bool sections_may_be_at(struct proof *p, size_t first, size_t end,
			const struct symbol *sym, uint64_t addr);

/* Sets the addresses of the sites of S where it is at ADDR. */
int addresses_set(struct proof *p, struct pending *s, uint64_t addr);

/* The same, where it is as PL says. In text that relaxes, PL has the size from
 * then on. */
int addresses_set_placed(struct proof *p, struct pending *s,
			 struct placement *pl);

void addresses_unset(struct proof *p, const struct pending *s);

/* S is as S->pl says: keeps it in p->placed, or reports it. */
int sections_settle(struct proof *p, struct pending *s);

/*
 * Where S differs, and its sites can be proved all the same, sets is_bearable;
 * with --text=sites, it is placed then, and S->unknown says what differs.
 * Returns -1 on trouble, diagnosed.
 */
int unknown_judge(struct proof *p, struct pending *s);

/* Is anything of section SHNDX unknown? Due once unknown_check has noted it. */
bool unknown_has(const struct proof *p, uint32_t shndx);

/* Is anything of [OFFSET, OFFSET + SIZE) of PL unknown? */
bool unknown_is_in(const struct placed *pl, uint64_t offset, uint64_t size);

/*
 * Notes what is unknown, or reports what is another section. Due once all are
 * placed. Returns -1 on trouble, diagnosed.
 */
int unknown_check(struct proof *all, size_t n);

/* Settles all pending sections. Due once all partials' others are placed. */
int assign_sections(struct proof *all, size_t n);

/* Fills p->partners. Returns -1 on trouble, diagnosed. */
int split_list_siblings(struct proof *p);

/*
 * The one section that shares jumps of the branch form with that of S, if that
 * has no other one, either, and no linker shortens them; else MANY_SIBLINGS.
 */
#define NO_SIBLING 0
#define MANY_SIBLINGS UINT32_MAX
uint32_t split_find_sibling(const struct proof *p, const struct pending *s);

/* Once the sibling of S has its place, S is where the branches between them
 * say.
 */
void split_drop_apart(const struct proof *p, struct pending *s);

/*
 * Adds the places at which a function can begin, and each of the N sections of
 * LIST fits, to its s->pl; or only those where its sites are right, too; or
 * where all of it has no name. Returns -1 on trouble, diagnosed.
 */
enum seek_where { SEEK_ANYWHERE, SEEK_RIGHT, SEEK_NAMELESS };
int seek_sections(struct proof *all, const struct wanted *list, size_t n,
		  enum seek_where where);

/*
 * Reports sections without a symbol in the image whose bytes are there all
 * the same, without a name. Due once all others are placed. Returns -1 on
 * trouble, diagnosed.
 */
int account_dropped(struct proof *all, size_t n);

/* Finds folded sections with NOPs whose own code is in the image, too. */
int account_folded_away(struct proof *all, size_t n);

/* Finds functions with NOPs whose name the image has elsewhere. */
void account_moved(struct proof *p);

/* How many functions NAME are in sections with sites that are at ADDR? */
size_t namesakes_count_own(const struct proof *p, const char *name,
			   uint64_t addr);

/* Finds a way to STUB at ADDR of an overlay. */
void overlays_report(struct proof *p, uint64_t addr, const struct stub *stub);

/* Refuses stubs and sections with sites in overlays. */
int overlays_check(struct proof *all, size_t n);

/* The same for N sections that were taken for dropped, by their bytes. */
int overlays_seek(const struct wanted *list, size_t n);

/*
 * Is FOUND, where the section of SYM does not fit, another object's? The same as
 * placer_is_instead(), and linkers make a hidden weak definition local: if it
 * has another size, and nothing else of P is in the image, it is another one.
 */
bool instead_is(struct proof *p, const struct symbol *sym,
		const struct symbol *found, bool relaxes);

/*
 * Are all the image's symbols of the names of section SHNDX, which fits none of
 * them, others'? Then it is not there: its own would be.
 */
bool account_is_overridden(struct proof *p, uint32_t shndx);

/* Does a function of another partial begin at ADDR that has no sites? */
bool account_is_siteless_at(const struct proof *p, uint64_t addr);

/* The first site that is in section SHNDX, or behind it. */
size_t lookup_sites_from(const struct proof *p, uint32_t shndx);
bool lookup_has_sites(const struct proof *p, uint32_t shndx);

/* The end of the sites that are in the section of FIRST. */
size_t lookup_section_end(const struct proof *p, size_t first);

/*
 * Was the image linked from these partials? Not if none has a symbol in common
 * with it; and where no section with sites is in the image, some other code
 * must tell. Fails with a diagnostic.
 */
int linked_from_check_names(const struct proof *all, size_t n);
int linked_from_check(struct proof *all, size_t n);

/* Is SITE, without --nop, a branch to a stub that the image has? */
static inline bool is_call(const struct proof_site *site)
{
	return !site->is_target && site->form != FORM_BRANCH &&
	       site->stub != NULL;
}

/*
 * What --nop would have made of SITE, where it may have; returns the size, 0
 * where it has not.
 */
unsigned decode_nops(const struct proof *p, const struct proof_site *site,
		     uint8_t bytes[DISABLED_MAX]);

/* Has SITE the branch that it should have, or what --nop makes of such a site?
 */
bool branch_is_right(const struct proof *p, const struct proof_site *site);
bool decode_is_disabled(const struct proof *p, const struct proof_site *site);

/* Makes --nop anything of such a site, or has the compiler done so? */
bool decode_can_disable(const struct proof *p, const struct proof_site *site);

/* Does a jump go from SITE, of the branch form, to its target? Both have been
 * placed. */
bool decode_can_jump(const struct proof *p, const struct proof_site *site);

/* Reports those placed sites that have neither, and marks the disabled ones. */
void branch_check_sites(struct proof *p);

/* Have all sites [FIRST, END) one of these, at their addresses? */
bool addresses_are_right(const struct proof *p, size_t first, size_t end);

/*
 * Lists all addresses that lead to a stub, in run->targets. Due once the
 * sites have their addresses. Returns -1 on trouble, diagnosed.
 */
int reach_list_targets(struct proof *p);

/* The stub that ADDR leads to, as listed, or NULL. */
const struct stub *reach_target_at(const struct proof *p, uint64_t addr);

/* Larger ones are somebody's functions, whose parts may jump back into them. */
#define GENERATED_MAX 32 /* bytes of a generated stub */

/* The generated stub that ADDR is in, behind its start, or NULL. */
const struct stub *stub_around(const struct proof *p, uint64_t addr);

/* What decode_plt wants to know. */
uint64_t reach_got(const struct proof *p);

/* Is ADDR in code of the linker's that goes on to a stub? */
bool reach_is_veneer(const struct proof *p, uint64_t addr);

/*
 * The section with sites that is at ADDR of the final, the last of several, of
 * this partial or of the first that has one; or NULL.
 */
const struct placed *lookup_own_placed_at(const struct proof *p, uint64_t addr);
const struct placed *lookup_placed_at(const struct proof *p, uint64_t addr);

/* Where section SHNDX of P is, which has sites or targets, or NULL: that is not
 * known. */
const struct placed *lookup_placed_section(const struct proof *p,
					   uint32_t shndx);

/* Is one of another partial than P there? */
bool lookup_is_another_placed_at(const struct proof *p, uint64_t addr);

/* How many sections of all partials begin there? */
size_t lookup_count_placed(const struct proof *p, uint64_t addr);

/* The next of them, from *AT on, which is 0 at first; or NULL. */
const struct placed *lookup_next_start(const struct proof *p, uint64_t addr,
				       size_t *at);

/*
 * Adds PL to the sections of P; who looks for one finds it, but p->placed is
 * sorted by lookup_sort_placed alone. Both return -1 on trouble, diagnosed.
 */
int lookup_add_placed(struct proof *p, const struct placed *pl);
int lookup_sort_placed(struct verify_run *run);
/* So many that sorting is due before many questions? */
bool lookup_has_many_additions(const struct proof *p);
void lookup_free_placed(struct places *places);

/*
 * Fills run->shared, once each has its sites. lookup_shared_sites_at has the
 * first one at ADDR, or NULL.
 */
int lookup_share_sites(struct verify_run *run);
struct shared_site *lookup_shared_sites_at(const struct proof *p,
					   uint64_t addr);
void lookup_free_shared(struct shared_sites *shared);

/*
 * For many questions: where a section of any partial is now. Sets OCCUPIED,
 * whose ranges are due to be freed. With BUT_SHARED, without the starts of
 * those that others may have been folded into, as the table tells; needs
 * entries_by_addr. Returns -1 on trouble, diagnosed.
 */
int lookup_list_occupied(const struct proof *all, bool but_shared,
			 struct occupied *occupied);
bool lookup_is_occupied(const struct occupied *occupied, uint64_t addr);

/* Is a section of any partial at ADDR? Quick once all are placed. */
bool lookup_has_placed(const struct proof *p, uint64_t addr);

/*
 * Does what is wrong at ADDR of the final follow from a section that is not
 * as it was? That is reported already.
 */
bool lookup_is_explained(const struct proof *p, uint64_t addr);

/*
 * Was the final made from link-time-optimisation bytecode, as far as its
 * symbols tell? For text that differs.
 */
bool bytecode_is_source(const struct proof *p);

/* Could ADDR be in a section whose symbols the final has not? */
bool lookup_may_be_unnamed(const struct proof *p, uint64_t addr);

/*
 * Finds section SHNDX, of the sites [FIRST, END), in the image, if it is
 * one that relaxes. Returns -1 on trouble, diagnosed.
 */
int relaxed_place(struct proof *p, uint32_t shndx, size_t first, size_t end,
		  const struct section_relocs *relocs, struct placement *pl);

/*
 * Does the section of SYM and the sites [FIRST, END) fit behind SYM if that
 * is at ADDR?
 */
bool relaxed_fits(struct proof *p, size_t first, size_t end,
		  const struct section_relocs *relocs, const struct symbol *sym,
		  uint64_t addr);

/*
 * Places these sites, with the section at PL->addr; sets PL->size. If it
 * does not fit, PL says so, and those behind the difference stay unplaced.
 */
int relaxed_follow(struct proof *p, size_t first, size_t end,
		   const struct section_relocs *relocs, struct placement *pl);

/*
 * Judges sections that share addresses: those of the same bytes and the same
 * sites are one from now on, the others are reported.
 */
void folded_check(struct proof *p);

/*
 * Likewise of sections without a name in the image, as far as the table tells.
 * Due once the sites of all partials are sorted. Returns -1 on trouble,
 * diagnosed.
 */
int folded_check_nameless(struct proof *all, size_t n);

/* The sites that are where SITE is, in all partials. */
size_t folded_count(const struct proof *p, const struct proof_site *site);

/*
 * Are there fewer functions of a name in the image than sections of the
 * partials at PL that have one? Who folds keeps all names: some were dropped.
 */
bool folded_has_lost_name(const struct proof *p, const struct placed *pl);

/* Adds those of ADDRS to PL at which the section of [FIRST, END) fits. */
int relaxed_seek(struct proof *p, size_t first, size_t end,
		 const struct section_relocs *relocs, const uint64_t *addrs,
		 size_t naddrs, struct placement *pl);

/* Reads the table of the image. Returns -1 on trouble, diagnosed. */
int match_read_table(struct proof *p);

/*
 * Fills run->own_entries, due where there are several. Returns -1 on
 * trouble, diagnosed.
 */
int match_share_entries(struct verify_run *run);
void match_free_own_entries(struct own_entries *own);

/* Compares it with the sites. Returns -1 on trouble, diagnosed. */
int match_table(struct proof *p);

/* Compares the names of functions that are beside an anchored table. */
void match_check_names(struct proof *all);

/*
 * If there are no names: S may be at ADDR, and so nothing is proved of entries
 * there that are not those of S.
 */
void match_dispute(struct proof *p, const struct pending *s, uint64_t addr);

/*
 * The same of S, and of all that has its places, where these are more than are
 * listed: nothing is proved of an entry that is in any.
 */
int match_dispute_uncounted(struct proof *p, const struct pending *s);

/* If there are no names: counts the entries that are proved, notes the rest. */
void match_count_proved(struct verify_run *run);

/*
 * Marks the sites in unnamed ranges that nothing in the image leads to: the
 * site's is_dead. Returns -1 on trouble, diagnosed.
 */
int dead_mark(struct proof *p);

/*
 * Counts the tracepoints of the partials, and those whose records the final
 * has. Returns -1 on trouble, diagnosed.
 */
int recorded_count(struct proof *all, size_t n);

/*
 * Finds what all this relies on, and the file that is flashed does not have:
 * all of text must be there, and that with sites, stubs, table and descriptors
 * as in the final, but for the fields of run-time relocations.
 */
void flashed_check(struct proof *all, size_t n);

void verify_free(struct verify_run *run);

/* Finds sites that the loader would change; and parts of the table. */
void verify_check_site_relocs(struct proof *p);
void verify_check_table_relocs(struct proof *p);

/* FNV-1a, which a stub of --inject, and a record of --nop, have of NAME. */
uint32_t stub_code_hash(const char *name);

/* Has it a local symbol of code or data? strip -x leaves none, and the names of
 * files and sections. */
bool stubs_have_local(const struct object *obj);

/* Branches, and relocations that the image kept, to stubs from elsewhere. */
int extra_check(struct proof *p);

#endif
