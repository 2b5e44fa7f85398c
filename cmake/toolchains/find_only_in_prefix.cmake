# Libraries and headers of another machine come from CMAKE_PREFIX_PATH alone, programs of the build from this machine.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_PREFIX_PATH)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config knows this machine's libraries otherwise.
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_PREFIX_PATH}/lib/pkgconfig)
