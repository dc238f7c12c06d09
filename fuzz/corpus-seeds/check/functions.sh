Af() { a "$@"; }
function g { b; } >c
coproc H { d; }
f <(g) >(h)
