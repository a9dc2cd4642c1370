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
	_, err := fmt.Fprint(c.stdio.out, scripts[k.Shell](commandsOf(c.model.Node)))
	return reason.ExitOK, err
}

// words is a command with what may follow it: commands of its own, or flags.
type words struct {
	name     string
	commands []words
	flags    []string // with their dashes
}

// commandsOf lists the commands below a node, sorted, hidden ones left out.
func commandsOf(n *kong.Node) []words {
	var out []words
	for _, child := range n.Children {
		if child.Type != kong.CommandNode || child.Hidden {
			continue
		}
		w := words{name: child.Name, commands: commandsOf(child)}
		for _, f := range child.Flags {
			w.flags = append(w.flags, "--"+f.Name)
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b words) int { return strings.Compare(a.name, b.name) })
	return out
}

func namesOf(commands []words) string {
	names := make([]string, 0, len(commands))
	for _, c := range commands {
		names = append(names, c.name)
	}
	return strings.Join(names, " ")
}

var scripts = map[string]func([]words) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}

func bashScript(commands []words) string {
	var b strings.Builder
	b.WriteString("_blotter() {\n  local cur=${COMP_WORDS[COMP_CWORD]} words\n")
	bashChoice(&b, commands, 1)
	b.WriteString("  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _blotter blotter\n")
	return b.String()
}

// bashChoice offers commands as the word at a position, and behind it what follows each.
func bashChoice(b *strings.Builder, commands []words, at int) {
	in := strings.Repeat("    ", at-1) + "  "
	fmt.Fprintf(b, "%sif [ \"$COMP_CWORD\" -eq %d ]; then\n%s  words=%q\n%selse\n%s  case ${COMP_WORDS[%d]} in\n",
		in, at, in, namesOf(commands), in, in, at)
	for _, c := range commands {
		if len(c.commands) == 0 {
			fmt.Fprintf(b, "%s    %s) words=%q ;;\n", in, c.name, strings.Join(c.flags, " "))
			continue
		}
		fmt.Fprintf(b, "%s    %s)\n", in, c.name)
		bashChoice(b, c.commands, at+1)
		fmt.Fprintf(b, "%s    ;;\n", in)
	}
	fmt.Fprintf(b, "%s  esac\n%sfi\n", in, in)
}

// zshScript reuses the bash script through zsh's own bridge.
func zshScript(commands []words) string {
	return "autoload -U +X bashcompinit && bashcompinit\n" + bashScript(commands)
}

func fishScript(commands []words) string {
	var b strings.Builder
	fishChoice(&b, commands, "__fish_use_subcommand", "")
	return b.String()
}

// fishChoice offers commands where a condition holds, and what follows each behind it and
// what came before.
func fishChoice(b *strings.Builder, commands []words, where, before string) {
	for _, c := range commands {
		fmt.Fprintf(b, "complete -c blotter -n '%s' -a %s\n", where, c.name)
		seen := before + "__fish_seen_subcommand_from " + c.name
		for _, flag := range c.flags {
			fmt.Fprintf(b, "complete -c blotter -n '%s' -l %s\n", seen, strings.TrimPrefix(flag, "--"))
		}
		if len(c.commands) > 0 {
			fishChoice(b, c.commands, seen+"; and not __fish_seen_subcommand_from "+namesOf(c.commands), seen+"; and ")
		}
	}
}
