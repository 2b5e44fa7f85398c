# Debian's etcd, as a member of a cluster of three: etcd1, etcd2 and etcd3. The container's hostname is the member's name.
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends etcd-server \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && install -d -o etcd -g etcd -m 700 /data
USER etcd
EXPOSE 2379/tcp 2380/tcp
VOLUME /data
# Elections are shorter than the leases of nodes.
CMD ["sh", "-c", "exec etcd --name $(hostname) --data-dir /data --heartbeat-interval 50 --election-timeout 300 \
     --listen-client-urls http://0.0.0.0:2379 --advertise-client-urls http://$(hostname):2379 \
     --listen-peer-urls http://0.0.0.0:2380 --initial-advertise-peer-urls http://$(hostname):2380 \
     --initial-cluster etcd1=http://etcd1:2380,etcd2=http://etcd2:2380,etcd3=http://etcd3:2380"]
