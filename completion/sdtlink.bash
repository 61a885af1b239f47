# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for sdtlink(1)

_sdtlink_options='--explain= --generate --inject --verify --dump --check-jump --cost --drift --markers --merge-script --link --cc
	--prefix= --enabled-prefix= --symbol= --module= --require-probes
	--probe= --function= --kind= --summary= --sort= --suppressions=
	--memory= --displacement= --debug-file= --image-base= --section= --skip-section= --refuse-section= --output= --table=
	--table-name= --no-function-names --nop --anchor= --text= --base=
	--against=
	--stub-attr= --stub-include= --source --werror
	--format= --color= --verbose --quiet --script-fragment --print-libexec --help --version -p -o -MD -MF -MT -MP -v -q -h -V'

# Words after --option= lose the option: readline splits at the =.
_sdtlink_words()
{
	local IFS=$' \t\n'

	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_sdtlink_files()
{
	mapfile -t COMPREPLY < <(compgen -f -P "${2-}" -- "$1")
	compopt -o filenames
}

_sdtlink()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	local prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	if [[ $cur == '=' ]]; then
		option=$prev cur=
	elif [[ $prev == '=' ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == --*=* ]]; then
		option=${cur%%=*} cur=${cur#*=}
	elif [[ $prev == -[opVhqv] || $prev == -M[FT] || $prev == --[a-z]* ]]; then
		option=$prev
	fi

	case $option in
	--table)
		_sdtlink_words 'auto offsets anchored linker-set' "$cur"
		return ;;
	--anchor)
		_sdtlink_words 'auto label section' "$cur"
		return ;;
	--explain)
		_sdtlink_words "$(sdtlink --explain='?' 2>&1 |
			sed -n 's/.*; it takes //p')" "$cur"
		return ;;
	--text)
		_sdtlink_words 'all sites' "$cur"
		return ;;
	--format)
		_sdtlink_words 'text json svg names' "$cur"
		return ;;
	--kind)
		_sdtlink_words 'call tail cond enabled branch tracepoint' "$cur"
		return ;;
	--summary)
		_sdtlink_words 'probe function module section' "$cur"
		return ;;
	--sort)
		_sdtlink_words 'probe function address sites bytes' "$cur"
		return ;;
	--color)
		_sdtlink_words 'auto always never' "$cur"
		return ;;
	--prefix | -p)
		_sdtlink_words __dtrace_sdt_ "$cur"
		return ;;
	--enabled-prefix)
		_sdtlink_words __dtrace_sdt_enabled_ "$cur"
		return ;;
	--symbol)
		_sdtlink_words '__fentry__ mcount _mcount' "$cur"
		return ;;
	--section | --skip-section | --refuse-section)
		_sdtlink_words '.text .text.unlikely .init.text .exit.text
			.noinstr.text .entry.text .altinstr_replacement' "$cur"
		return ;;
	--probe | --function | --displacement | --module | --image-base | --table-name | --base | --stub-attr | -MT)
		return ;;
	--output | --stub-include | --against | --suppressions | --memory | --debug-file | -o | -MF)
		_sdtlink_files "$cur"
		return ;;
	esac

	case $cur in
	@*)
		_sdtlink_files "${cur#@}" @ ;;
	-*)
		_sdtlink_words "$_sdtlink_options" "$cur"
		if [[ ${COMPREPLY-} == *= ]]; then
			compopt -o nospace
		fi ;;
	*)
		_sdtlink_files "$cur" ;;
	esac
} &&
complete -F _sdtlink sdtlink
