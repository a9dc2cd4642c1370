package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"blotter/internal/reason"
)

// completionCommand is `blotter completion`.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run implements command. The script is made from the declared command line, so that it
// cannot fall behind.
func (k *completionCommand) Run(c *call) (int, error) {
	words := map[string][]string{}
	for _, n := range c.model.Children {
		if !n.Hidden {
			words[n.Name] = flagsOf(n)
		}
	}
	_, err := fmt.Fprint(c.stdio.out, scripts[k.Shell](words))
	return reason.ExitOK, err
}

func flagsOf(n *kong.Node) []string {
	var out []string
	for _, f := range n.Flags {
		out = append(out, "--"+f.Name)
	}
	return out
}

var scripts = map[string]func(map[string][]string) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}

func bashScript(words map[string][]string) string {
	var b strings.Builder
	b.WriteString("_blotter() {\n  local cur=${COMP_WORDS[COMP_CWORD]} words\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n")
	fmt.Fprintf(&b, "    words=%q\n  else\n    case ${COMP_WORDS[1]} in\n", strings.Join(commandNames(words), " "))
	for _, name := range commandNames(words) {
		fmt.Fprintf(&b, "      %s) words=%q ;;\n", name, strings.Join(words[name], " "))
	}
	b.WriteString("    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _blotter blotter\n")
	return b.String()
}

// zshScript reuses the bash script through zsh's own bridge.
func zshScript(words map[string][]string) string {
	return "autoload -U +X bashcompinit && bashcompinit\n" + bashScript(words)
}

func fishScript(words map[string][]string) string {
	var b strings.Builder
	for _, name := range commandNames(words) {
		fmt.Fprintf(&b, "complete -c blotter -n __fish_use_subcommand -a %s\n", name)
		for _, flag := range words[name] {
			fmt.Fprintf(&b, "complete -c blotter -n '__fish_seen_subcommand_from %s' -l %s\n", name, strings.TrimPrefix(flag, "--"))
		}
	}
	return b.String()
}

func commandNames(words map[string][]string) []string {
	out := make([]string, 0, len(words))
	for name := range words {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
