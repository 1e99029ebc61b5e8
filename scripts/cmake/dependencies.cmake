# Where libraries come from: a copy that scripts/setup names in the environment, else find_package, else a download of
# a fixed version with its hash. xsimd is private to the kernels; Catch2 and nlohmann_json serve tests only.

include(FetchContent)

function(posenc_find_xsimd)
  if(DEFINED ENV{XSIMD_INCLUDE_DIR})
    add_library(posenc_xsimd INTERFACE)
    target_include_directories(posenc_xsimd SYSTEM INTERFACE $ENV{XSIMD_INCLUDE_DIR})
    return()
  endif()
  find_package(xsimd 11 QUIET)
  if(NOT xsimd_FOUND)
    FetchContent_Declare(xsimd
      URL https://github.com/xtensor-stack/xsimd/archive/refs/tags/13.2.0.tar.gz
      URL_HASH SHA256=edd8cd3d548c185adc70321c53c36df41abe64c1fe2c67bc6d93c3ecda82447a)
    FetchContent_MakeAvailable(xsimd)
  endif()
  add_library(posenc_xsimd INTERFACE)
  get_target_property(include_dirs xsimd INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(posenc_xsimd SYSTEM INTERFACE ${include_dirs})
endfunction()

function(posenc_find_catch2)
  if(DEFINED ENV{CATCH2_SOURCE_DIR})
    set(FETCHCONTENT_SOURCE_DIR_CATCH2 $ENV{CATCH2_SOURCE_DIR})
  elseif(NOT EMSCRIPTEN)
    find_package(Catch2 3 QUIET)
    if(Catch2_FOUND)
      return()
    endif()
  endif()
  FetchContent_Declare(Catch2
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
    URL_HASH SHA256=c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
  FetchContent_MakeAvailable(Catch2)
endfunction()

function(posenc_find_json)
  if(DEFINED ENV{NLOHMANN_JSON_INCLUDE_DIR})
    add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
    target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE $ENV{NLOHMANN_JSON_INCLUDE_DIR})
    return()
  endif()
  find_package(nlohmann_json 3.11 QUIET GLOBAL)
  if(NOT nlohmann_json_FOUND)
    FetchContent_Declare(nlohmann_json
      URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
      URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
    FetchContent_MakeAvailable(nlohmann_json)
  endif()
endfunction()
