Aif a; then b; elif c; then d; else e; fi >f
for x in 1 2; do g; done
for ((i=0;i<3;i++)); do h; done
while j; do k; done
case $x in (a|b) l;; *) m;& esac
{ n; }; (o; p)
select y in q; do r; done
