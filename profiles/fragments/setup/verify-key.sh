verify_key() {
  local file=$1 expected=$2 keys
  keys=$(gpg --homedir "$scratch" --batch --with-colons --show-keys "$file" |
    awk -F: '$1 == "pub" {primary = 1} $1 == "fpr" && primary {print $10; primary = 0}') || true
  [[ $keys == "$expected" ]] || die "$file holds key ${keys:-none}, expected $expected"
}
