# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for sdtlink(1): the options are those of --help, their values
# those that the answer to a wrong one names.

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
	elif [[ $prev == -[op] || $prev == -M[FT] || $prev == --[a-z]* ]]; then
		option=$prev
	fi

	case $option in
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
	-o | -MF)
		_sdtlink_files "$cur"
		return ;;
	-MT)
		return ;;
	--*)
		case $(sdtlink --help | grep -oe "$option=[A-Z]*") in
		'') ;;
		*=FILE | *=CORE)
			_sdtlink_files "$cur"
			return ;;
		*)
			_sdtlink_words "$(sdtlink "$option=?" 2>&1 |
				sed -n 's/.*; it takes //p')" "$cur"
			return ;;
		esac ;;
	esac

	case $cur in
	@*)
		_sdtlink_files "${cur#@}" @ ;;
	-*)
		_sdtlink_words "$(sdtlink --help |
			sed -n '/^  *-/ { s/^  *//; s/   *.*//; p; }' |
			grep -oE -e '(^|[ ,])-(-[a-z-]+=?|[A-Za-z]+)')" "$cur"
		if [[ ${COMPREPLY-} == *= ]]; then
			compopt -o nospace
		fi ;;
	*)
		_sdtlink_files "$cur" ;;
	esac
} &&
complete -F _sdtlink sdtlink
