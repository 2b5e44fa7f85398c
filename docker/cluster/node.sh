# A node of the cluster. Clients and the map reach it at the address of its container.
set -eu
until test -s /keys/admin.token; do sleep 0.2; done
exec mobula-server --cluster http://etcd1:2379,http://etcd2:2379,http://etcd3:2379 --node "$(hostname)" --capacity worlds=4 \
  --public-address "$(hostname -i)" --admin-address 0.0.0.0 --admin-token-file /keys/admin.token \
  --key-file /keys/shared.key --level /usr/share/mobula/village.level --db /world --checkpoint-seconds 2
