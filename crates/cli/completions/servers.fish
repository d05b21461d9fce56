
function __fish_proofmark_servers
    set -l whole (commandline)
    set -l before (commandline --cut-at-cursor)
    set -l after (string sub --start (math (string length -- "$before") + 1) -- "$whole")
    proofmark suggest --before "$before" --after "$after" 2>/dev/null
end
complete -c proofmark -n "__fish_seen_subcommand_from call complete prompt read subscribe" -f -a "(__fish_proofmark_servers)"
