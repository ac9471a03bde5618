%include rpm/host-ca.sh
