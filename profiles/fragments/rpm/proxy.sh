grep -q '^\[main\]' @package_config@ || echo '[main]' >>@package_config@
sed -e '/^proxy *=/d' -e '/^\[main\]/a proxy={{ . }}' @package_config@ >@package_config@.new
sync
mv @package_config@.new @package_config@
