%include shell/host-ca.sh
