grep -q '^\[main\]' @package_config@ || echo '[main]' >>@package_config@
sed -i -e '/^proxy *=/d' -e '/^\[main\]/a proxy={{ . }}' @package_config@
