%include rpm/proxy.sh
