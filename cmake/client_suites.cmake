# Suites of the client core's rooms, for ./dev portability. Included by client_only.cmake with MOBULA_CLIENT_SUITES.
#
# These are left out, since they need a server, or what the client core does without:
#
#   process, net, server, simulation, programs   have files, sockets, threads, Boost or SQLite
#   resource                     compiles levels, which reads files; loading is part of the session vectors
#   client, mirror, client_c     run a server; the session vectors hold its bytes, and the states of their mirrors
#   bench, fuzz, package, docs   say nothing about a platform
find_package(GTest REQUIRED)
add_custom_target(end_to_end)
foreach(folder fresh_log core ecs reflect hierarchy index wire prediction examples/demo/rules transport vectors)
  add_subdirectory(tests/${folder})
endforeach()
