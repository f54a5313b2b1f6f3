# The extension module graphmend._core, from src/python/*.cpp.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/python/*.cpp")
if(NOT sources)
  return()
endif()

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_core NB_STATIC ${sources})
target_link_libraries(_core PRIVATE gm_driver)
target_compile_definitions(_core PRIVATE "GM_VERSION=\"${PROJECT_VERSION}\"")
# nanobind's headers as system headers: our warnings are for our own code.
target_include_directories(_core SYSTEM PRIVATE "${NB_DIR}/include")
if(GRAPHMEND_INPLACE)
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                         "${PROJECT_SOURCE_DIR}/python/graphmend")
endif()
install(TARGETS _core LIBRARY DESTINATION graphmend)
# Beside the package: the line that installs the hook where GRAPHMEND is set.
install(FILES "${PROJECT_SOURCE_DIR}/python/graphmend.pth" DESTINATION .)
