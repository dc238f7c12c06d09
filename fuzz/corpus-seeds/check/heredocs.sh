Acat <<E <<'F' | b
x $(y) `z` ${w}
E
$(no)
F
cat <<-G && d
	q
	G
