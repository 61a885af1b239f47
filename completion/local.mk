# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += completion/sdtlink.bash
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = completion/_sdtlink
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = completion/sdtlink.fish

# bash looks for a file that has the name of the command.
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) '$(srcdir)/completion/sdtlink.bash' \
		'$(DESTDIR)$(bashcompletiondir)/sdtlink'

uninstall-local:
	rm -f '$(DESTDIR)$(bashcompletiondir)/sdtlink'
