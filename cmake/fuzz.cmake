# Fuzz targets: fuzz_<name> from tests/fuzz/<name>_target.cpp. With GRAPHMEND_FUZZ (clang, the preset
# `fuzz`) each is linked with libFuzzer; else with a main of its own that replays the seeds and
# mutates them, and ctest runs it.
option(GRAPHMEND_FUZZ "Link the fuzz targets with libFuzzer" OFF)
set(fuzz_folder "${PROJECT_SOURCE_DIR}/tests/fuzz")
file(GLOB sources CONFIGURE_DEPENDS "${fuzz_folder}/*_target.cpp")
# The last stage that each needs.
set(fuzz_stage_lexer syntax)
set(fuzz_stage_parser syntax)
set(fuzz_stage_scopes scope)
set(fuzz_stage_edits syntax)
set(fuzz_stage_mends pipeline)
add_custom_target(fuzz_targets)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REPLACE "_target" "" name "${name}")
  add_executable(fuzz_${name} ${source} "${fuzz_folder}/property.cpp")
  target_link_libraries(fuzz_${name} PRIVATE gm_${fuzz_stage_${name}})
  if(name STREQUAL "edits")
    # The edits know nothing of the stages between: those need not be built for them.
    target_sources(fuzz_edits PRIVATE $<TARGET_OBJECTS:gm_edit>)
  endif()
  add_dependencies(fuzz_targets fuzz_${name})
  if(GRAPHMEND_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    continue()
  endif()
  target_sources(fuzz_${name} PRIVATE "${fuzz_folder}/plain_main.cpp")
  set(seeds "${fuzz_folder}/seeds")
  if(name STREQUAL "edits")
    set(paths "${seeds}/edits")
  else()
    set(paths "${seeds}/text" "${PROJECT_SOURCE_DIR}/tests/data/nasty"
              "${PROJECT_SOURCE_DIR}/tests/mends/golden")
  endif()
  add_test(NAME fuzz_${name}
           COMMAND fuzz_${name} --runs 40000 --seconds 6 --words "${fuzz_folder}/python.dict" ${paths})
  set_tests_properties(fuzz_${name} PROPERTIES WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
endforeach()
