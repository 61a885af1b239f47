# SPDX-License-Identifier: GPL-3.0-or-later
# fish completion for sdtlink(1): the options are those of --help, their values
# those that the answer to a wrong one names.

function __sdtlink_values
    sdtlink $argv[1]='?' 2>&1 | string replace -rf '.*; it takes ' '' |
        string split ' '
end

for line in (sdtlink --help)
    set -l option (string match -rg \
        '^  (-.,|   ) --([a-z-]+)((?:=[A-Z]+)?) +(.*)$' -- $line)
    or continue
    set -l row -c sdtlink -l $option[2] -d $option[4]
    set -l letter (string match -rg -- '-(.)' $option[1])
    and set -a row -s $letter
    if test -n "$option[3]"
        set -a row -r
        set -l values (__sdtlink_values --$option[2])
        test -n "$values"
        and set -a row -f -a "(__sdtlink_values --$option[2])"
    end
    complete $row
end
complete -c sdtlink -o MD -d 'write a make rule'
complete -c sdtlink -o MF -r -d 'write the make rule to FILE'
complete -c sdtlink -o MT -r -d 'make it a rule for TARGET'
complete -c sdtlink -o MP -d 'make a rule for each input, too'
