# Public headers: those that a team includes, and whatever they include. All others are private to the tree.
set(MOBULA_PUBLIC_HEADERS
  mobula/server.hpp                                # a game
  mobula/server/host/worlds.hpp                    # a process of several worlds
  mobula/server/rewind/rewind.hpp                  # a game that judges by what clients saw
  mobula/client.hpp                                # a client
  mobula/client/pipe/access_options.hpp            # its command line
  mobula/resource/compiler/compile_tool.hpp        # a level compiler with component compilers of a game
  mobula/transport/connect_token.hpp               # a backend
  mobula/prediction/predicted_world.hpp            # rules that clients predict
  mobula/client/prediction/named_rules.hpp         # those that hosts of the C interface find by name
  mobula/index/properties.hpp                      # tools: values by name
  mobula/ecs/locality.hpp mobula/ecs/snapshot.hpp mobula/ecs/sort.hpp
  mobula/core/format.hpp mobula/core/log.hpp mobula/process/log_output.hpp
  mobula/resource/files/resource_file.hpp)

# mobula_public_headers(variable): paths of the public headers, relative to the project's folder.
function(mobula_public_headers variable)
  set(open ${MOBULA_PUBLIC_HEADERS})
  set(seen)
  set(paths)
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    foreach(root shared server client)
      if(EXISTS ${PROJECT_SOURCE_DIR}/${root}/${header})
        list(APPEND paths ${root}/${header})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${root}/${header})
        file(STRINGS ${PROJECT_SOURCE_DIR}/${root}/${header} lines REGEX "^ *# *include <mobula/")
        foreach(line ${lines})
          string(REGEX REPLACE ".*<(.*)>.*" "\\1" included "${line}")
          list(APPEND open ${included})
        endforeach()
      endif()
    endforeach()
  endwhile()
  set(${variable} ${paths} PARENT_SCOPE)
endfunction()
