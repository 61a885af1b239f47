/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The relocation types of Power's two psABIs, with the bits that each sets in
 * an instruction, or in both words of a prefixed one.
 */
#include <config.h>

#include "ppc.h"

#define BITS_14 0xfffcull
#define BITS_24 0x03fffffcull
#define BITS_30 0xfffffffcull
#define BITS_DS 0xfffcull
#define BITS_DX 0x001fffc1ull
#define BITS_SDA21 0xffffull
/* The prefix comes first in memory, in either byte order. */
#define BITS_28 (0xffffull << 32 | 0xfff)
#define BITS_34 (0xffffull << 32 | 0x3ffff)

/* Each word with its bytes the other way around. */
#define SWAP_WORD(w) \
	(((w)&0xff) << 24 | ((w)&0xff00) << 8 | ((w) >> 8 & 0xff00) | \
	 ((w) >> 24 & 0xff))
#define SWAPPED(bytes, bits) \
	((bytes) == 2 ? SWAP_WORD((uint64_t)(bits)) >> 16 \
		      : SWAP_WORD((uint64_t)(bits)) | \
				SWAP_WORD((uint64_t)(bits) >> 32) << 32)

/* clang-format off */
#define ROW(number, text, bytes, bits) \
	[number] = { .name = text, .width = bytes, .is_known = true, \
		     .mask = bits, \
		     /* REL32, REL64 */ \
		     .is_distance = (number) == 26 || (number) == 44 }
#define LITTLE(number, name, bytes, bits) \
	ROW(number, "R_PPC64_" name, bytes, bits),
#define BIG(number, name, bytes, bits) \
	ROW(number, "R_PPC64_" name, bytes, SWAPPED(bytes, bits)),
#define BIG32(number, name, bytes, bits) \
	ROW(number, "R_PPC_" name, bytes, SWAPPED(bytes, bits))

#define PPC64_RELOCS(TYPE) \
	TYPE(0, "NONE", 0, 0) \
	TYPE(1, "ADDR32", 4, 0) \
	TYPE(2, "ADDR24", 4, BITS_24) \
	TYPE(3, "ADDR16", 2, 0) \
	TYPE(4, "ADDR16_LO", 2, 0) \
	TYPE(5, "ADDR16_HI", 2, 0) \
	TYPE(6, "ADDR16_HA", 2, 0) \
	TYPE(7, "ADDR14", 4, BITS_14) \
	TYPE(8, "ADDR14_BRTAKEN", 4, BITS_14) \
	TYPE(9, "ADDR14_BRNTAKEN", 4, BITS_14) \
	TYPE(10, "REL24", 4, BITS_24) \
	TYPE(11, "REL14", 4, BITS_14) \
	TYPE(12, "REL14_BRTAKEN", 4, BITS_14) \
	TYPE(13, "REL14_BRNTAKEN", 4, BITS_14) \
	TYPE(14, "GOT16", 2, 0) \
	TYPE(15, "GOT16_LO", 2, 0) \
	TYPE(16, "GOT16_HI", 2, 0) \
	TYPE(17, "GOT16_HA", 2, 0) \
	TYPE(19, "COPY", 0, 0) \
	TYPE(20, "GLOB_DAT", 8, 0) \
	TYPE(21, "JMP_SLOT", 8, 0) \
	TYPE(22, "RELATIVE", 8, 0) \
	TYPE(24, "UADDR32", 4, 0) \
	TYPE(25, "UADDR16", 2, 0) \
	TYPE(26, "REL32", 4, 0) \
	TYPE(27, "PLT32", 4, 0) \
	TYPE(28, "PLTREL32", 4, 0) \
	TYPE(29, "PLT16_LO", 2, 0) \
	TYPE(30, "PLT16_HI", 2, 0) \
	TYPE(31, "PLT16_HA", 2, 0) \
	TYPE(33, "SECTOFF", 2, 0) \
	TYPE(34, "SECTOFF_LO", 2, 0) \
	TYPE(35, "SECTOFF_HI", 2, 0) \
	TYPE(36, "SECTOFF_HA", 2, 0) \
	TYPE(37, "ADDR30", 4, BITS_30) \
	TYPE(38, "ADDR64", 8, 0) \
	TYPE(39, "ADDR16_HIGHER", 2, 0) \
	TYPE(40, "ADDR16_HIGHERA", 2, 0) \
	TYPE(41, "ADDR16_HIGHEST", 2, 0) \
	TYPE(42, "ADDR16_HIGHESTA", 2, 0) \
	TYPE(43, "UADDR64", 8, 0) \
	TYPE(44, "REL64", 8, 0) \
	TYPE(45, "PLT64", 8, 0) \
	TYPE(46, "PLTREL64", 8, 0) \
	TYPE(47, "TOC16", 2, 0) \
	TYPE(48, "TOC16_LO", 2, 0) \
	TYPE(49, "TOC16_HI", 2, 0) \
	TYPE(50, "TOC16_HA", 2, 0) \
	TYPE(51, "TOC", 8, 0) \
	TYPE(52, "PLTGOT16", 2, 0) \
	TYPE(53, "PLTGOT16_LO", 2, 0) \
	TYPE(54, "PLTGOT16_HI", 2, 0) \
	TYPE(55, "PLTGOT16_HA", 2, 0) \
	TYPE(56, "ADDR16_DS", 2, BITS_DS) \
	TYPE(57, "ADDR16_LO_DS", 2, BITS_DS) \
	TYPE(58, "GOT16_DS", 2, BITS_DS) \
	TYPE(59, "GOT16_LO_DS", 2, BITS_DS) \
	TYPE(60, "PLT16_LO_DS", 2, BITS_DS) \
	TYPE(61, "SECTOFF_DS", 2, BITS_DS) \
	TYPE(62, "SECTOFF_LO_DS", 2, BITS_DS) \
	TYPE(63, "TOC16_DS", 2, BITS_DS) \
	TYPE(64, "TOC16_LO_DS", 2, BITS_DS) \
	TYPE(65, "PLTGOT16_DS", 2, BITS_DS) \
	TYPE(66, "PLTGOT16_LO_DS", 2, BITS_DS) \
	TYPE(67, "TLS", 0, 0) \
	TYPE(68, "DTPMOD64", 8, 0) \
	TYPE(69, "TPREL16", 2, 0) \
	TYPE(70, "TPREL16_LO", 2, 0) \
	TYPE(71, "TPREL16_HI", 2, 0) \
	TYPE(72, "TPREL16_HA", 2, 0) \
	TYPE(73, "TPREL64", 8, 0) \
	TYPE(74, "DTPREL16", 2, 0) \
	TYPE(75, "DTPREL16_LO", 2, 0) \
	TYPE(76, "DTPREL16_HI", 2, 0) \
	TYPE(77, "DTPREL16_HA", 2, 0) \
	TYPE(78, "DTPREL64", 8, 0) \
	TYPE(79, "GOT_TLSGD16", 2, 0) \
	TYPE(80, "GOT_TLSGD16_LO", 2, 0) \
	TYPE(81, "GOT_TLSGD16_HI", 2, 0) \
	TYPE(82, "GOT_TLSGD16_HA", 2, 0) \
	TYPE(83, "GOT_TLSLD16", 2, 0) \
	TYPE(84, "GOT_TLSLD16_LO", 2, 0) \
	TYPE(85, "GOT_TLSLD16_HI", 2, 0) \
	TYPE(86, "GOT_TLSLD16_HA", 2, 0) \
	TYPE(87, "GOT_TPREL16_DS", 2, BITS_DS) \
	TYPE(88, "GOT_TPREL16_LO_DS", 2, BITS_DS) \
	TYPE(89, "GOT_TPREL16_HI", 2, 0) \
	TYPE(90, "GOT_TPREL16_HA", 2, 0) \
	TYPE(91, "GOT_DTPREL16_DS", 2, BITS_DS) \
	TYPE(92, "GOT_DTPREL16_LO_DS", 2, BITS_DS) \
	TYPE(93, "GOT_DTPREL16_HI", 2, 0) \
	TYPE(94, "GOT_DTPREL16_HA", 2, 0) \
	TYPE(95, "TPREL16_DS", 2, BITS_DS) \
	TYPE(96, "TPREL16_LO_DS", 2, BITS_DS) \
	TYPE(97, "TPREL16_HIGHER", 2, 0) \
	TYPE(98, "TPREL16_HIGHERA", 2, 0) \
	TYPE(99, "TPREL16_HIGHEST", 2, 0) \
	TYPE(100, "TPREL16_HIGHESTA", 2, 0) \
	TYPE(101, "DTPREL16_DS", 2, BITS_DS) \
	TYPE(102, "DTPREL16_LO_DS", 2, BITS_DS) \
	TYPE(103, "DTPREL16_HIGHER", 2, 0) \
	TYPE(104, "DTPREL16_HIGHERA", 2, 0) \
	TYPE(105, "DTPREL16_HIGHEST", 2, 0) \
	TYPE(106, "DTPREL16_HIGHESTA", 2, 0) \
	TYPE(107, "TLSGD", 0, 0) \
	TYPE(108, "TLSLD", 0, 0) \
	TYPE(109, "TOCSAVE", 0, 0) \
	TYPE(110, "ADDR16_HIGH", 2, 0) \
	TYPE(111, "ADDR16_HIGHA", 2, 0) \
	TYPE(112, "TPREL16_HIGH", 2, 0) \
	TYPE(113, "TPREL16_HIGHA", 2, 0) \
	TYPE(114, "DTPREL16_HIGH", 2, 0) \
	TYPE(115, "DTPREL16_HIGHA", 2, 0) \
	TYPE(116, "REL24_NOTOC", 4, BITS_24) \
	TYPE(117, "ADDR64_LOCAL", 8, 0) \
	TYPE(118, "ENTRY", 0, 0) \
	TYPE(119, "PLTSEQ", 0, 0) \
	TYPE(120, "PLTCALL", 0, 0) \
	TYPE(121, "PLTSEQ_NOTOC", 0, 0) \
	TYPE(122, "PLTCALL_NOTOC", 0, 0) \
	TYPE(123, "PCREL_OPT", 0, 0) \
	TYPE(124, "REL24_P9NOTOC", 4, BITS_24) \
	TYPE(128, "D34", 8, BITS_34) \
	TYPE(129, "D34_LO", 8, BITS_34) \
	TYPE(130, "D34_HI30", 8, BITS_34) \
	TYPE(131, "D34_HA30", 8, BITS_34) \
	TYPE(132, "PCREL34", 8, BITS_34) \
	TYPE(133, "GOT_PCREL34", 8, BITS_34) \
	TYPE(134, "PLT_PCREL34", 8, BITS_34) \
	TYPE(135, "PLT_PCREL34_NOTOC", 8, BITS_34) \
	TYPE(136, "ADDR16_HIGHER34", 2, 0) \
	TYPE(137, "ADDR16_HIGHERA34", 2, 0) \
	TYPE(138, "ADDR16_HIGHEST34", 2, 0) \
	TYPE(139, "ADDR16_HIGHESTA34", 2, 0) \
	TYPE(140, "REL16_HIGHER34", 2, 0) \
	TYPE(141, "REL16_HIGHERA34", 2, 0) \
	TYPE(142, "REL16_HIGHEST34", 2, 0) \
	TYPE(143, "REL16_HIGHESTA34", 2, 0) \
	TYPE(144, "D28", 8, BITS_28) \
	TYPE(145, "PCREL28", 8, BITS_28) \
	TYPE(146, "TPREL34", 8, BITS_34) \
	TYPE(147, "DTPREL34", 8, BITS_34) \
	TYPE(148, "GOT_TLSGD_PCREL34", 8, BITS_34) \
	TYPE(149, "GOT_TLSLD_PCREL34", 8, BITS_34) \
	TYPE(150, "GOT_TPREL_PCREL34", 8, BITS_34) \
	TYPE(151, "GOT_DTPREL_PCREL34", 8, BITS_34) \
	TYPE(240, "REL16_HIGH", 2, 0) \
	TYPE(241, "REL16_HIGHA", 2, 0) \
	TYPE(242, "REL16_HIGHER", 2, 0) \
	TYPE(243, "REL16_HIGHERA", 2, 0) \
	TYPE(244, "REL16_HIGHEST", 2, 0) \
	TYPE(245, "REL16_HIGHESTA", 2, 0) \
	TYPE(246, "REL16DX_HA", 4, BITS_DX) \
	TYPE(247, "JMP_IREL", 0, 0) \
	TYPE(248, "IRELATIVE", 8, 0) \
	TYPE(249, "REL16", 2, 0) \
	TYPE(250, "REL16_LO", 2, 0) \
	TYPE(251, "REL16_HI", 2, 0) \
	TYPE(252, "REL16_HA", 2, 0)

const struct reloc_desc ppc64_relocs[PPC64_NRELOCS] = {
	PPC64_RELOCS(BIG)
};

const struct reloc_desc ppc64le_relocs[PPC64_NRELOCS] = {
	PPC64_RELOCS(LITTLE)
};

const struct reloc_desc ppc32_relocs[PPC32_NRELOCS] = {
	BIG32(0, "NONE", 0, 0),
	BIG32(1, "ADDR32", 4, 0),
	BIG32(2, "ADDR24", 4, BITS_24),
	BIG32(3, "ADDR16", 2, 0),
	BIG32(4, "ADDR16_LO", 2, 0),
	BIG32(5, "ADDR16_HI", 2, 0),
	BIG32(6, "ADDR16_HA", 2, 0),
	BIG32(7, "ADDR14", 4, BITS_14),
	BIG32(8, "ADDR14_BRTAKEN", 4, BITS_14),
	BIG32(9, "ADDR14_BRNTAKEN", 4, BITS_14),
	BIG32(10, "REL24", 4, BITS_24),
	BIG32(11, "REL14", 4, BITS_14),
	BIG32(12, "REL14_BRTAKEN", 4, BITS_14),
	BIG32(13, "REL14_BRNTAKEN", 4, BITS_14),
	BIG32(14, "GOT16", 2, 0),
	BIG32(15, "GOT16_LO", 2, 0),
	BIG32(16, "GOT16_HI", 2, 0),
	BIG32(17, "GOT16_HA", 2, 0),
	BIG32(18, "PLTREL24", 4, BITS_24),
	BIG32(19, "COPY", 0, 0),
	BIG32(20, "GLOB_DAT", 4, 0),
	BIG32(21, "JMP_SLOT", 4, 0),
	BIG32(22, "RELATIVE", 4, 0),
	BIG32(23, "LOCAL24PC", 4, BITS_24),
	BIG32(24, "UADDR32", 4, 0),
	BIG32(25, "UADDR16", 2, 0),
	BIG32(26, "REL32", 4, 0),
	BIG32(27, "PLT32", 4, 0),
	BIG32(28, "PLTREL32", 4, 0),
	BIG32(29, "PLT16_LO", 2, 0),
	BIG32(30, "PLT16_HI", 2, 0),
	BIG32(31, "PLT16_HA", 2, 0),
	BIG32(32, "SDAREL16", 2, 0),
	BIG32(33, "SECTOFF", 2, 0),
	BIG32(34, "SECTOFF_LO", 2, 0),
	BIG32(35, "SECTOFF_HI", 2, 0),
	BIG32(36, "SECTOFF_HA", 2, 0),
	BIG32(37, "ADDR30", 4, BITS_30),
	BIG32(67, "TLS", 0, 0),
	BIG32(68, "DTPMOD32", 4, 0),
	BIG32(69, "TPREL16", 2, 0),
	BIG32(70, "TPREL16_LO", 2, 0),
	BIG32(71, "TPREL16_HI", 2, 0),
	BIG32(72, "TPREL16_HA", 2, 0),
	BIG32(73, "TPREL32", 4, 0),
	BIG32(74, "DTPREL16", 2, 0),
	BIG32(75, "DTPREL16_LO", 2, 0),
	BIG32(76, "DTPREL16_HI", 2, 0),
	BIG32(77, "DTPREL16_HA", 2, 0),
	BIG32(78, "DTPREL32", 4, 0),
	BIG32(79, "GOT_TLSGD16", 2, 0),
	BIG32(80, "GOT_TLSGD16_LO", 2, 0),
	BIG32(81, "GOT_TLSGD16_HI", 2, 0),
	BIG32(82, "GOT_TLSGD16_HA", 2, 0),
	BIG32(83, "GOT_TLSLD16", 2, 0),
	BIG32(84, "GOT_TLSLD16_LO", 2, 0),
	BIG32(85, "GOT_TLSLD16_HI", 2, 0),
	BIG32(86, "GOT_TLSLD16_HA", 2, 0),
	BIG32(87, "GOT_TPREL16", 2, 0),
	BIG32(88, "GOT_TPREL16_LO", 2, 0),
	BIG32(89, "GOT_TPREL16_HI", 2, 0),
	BIG32(90, "GOT_TPREL16_HA", 2, 0),
	BIG32(91, "GOT_DTPREL16", 2, 0),
	BIG32(92, "GOT_DTPREL16_LO", 2, 0),
	BIG32(93, "GOT_DTPREL16_HI", 2, 0),
	BIG32(94, "GOT_DTPREL16_HA", 2, 0),
	BIG32(95, "TLSGD", 0, 0),
	BIG32(96, "TLSLD", 0, 0),
	BIG32(101, "EMB_NADDR32", 4, 0),
	BIG32(102, "EMB_NADDR16", 2, 0),
	BIG32(103, "EMB_NADDR16_LO", 2, 0),
	BIG32(104, "EMB_NADDR16_HI", 2, 0),
	BIG32(105, "EMB_NADDR16_HA", 2, 0),
	BIG32(106, "EMB_SDAI16", 2, 0),
	BIG32(107, "EMB_SDA2I16", 2, 0),
	BIG32(108, "EMB_SDA2REL", 2, 0),
	BIG32(109, "EMB_SDA21", 4, BITS_SDA21),
	BIG32(119, "PLTSEQ", 0, 0),
	BIG32(120, "PLTCALL", 0, 0),
	BIG32(246, "REL16DX_HA", 4, BITS_DX),
	BIG32(248, "IRELATIVE", 4, 0),
	BIG32(249, "REL16", 2, 0),
	BIG32(250, "REL16_LO", 2, 0),
	BIG32(251, "REL16_HI", 2, 0),
	BIG32(252, "REL16_HA", 2, 0),
	BIG32(255, "TOC16", 2, 0),
};
/* clang-format on */
