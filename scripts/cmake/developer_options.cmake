# What every target of posenc is compiled with.

add_library(posenc_options INTERFACE)
# No fused multiply-add: native builds and WebAssembly must round alike.
target_compile_options(posenc_options INTERFACE -ffp-contract=off)
if(POSENC_WARNINGS_ARE_ERRORS)
  target_compile_options(posenc_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
    -Woverloaded-virtual -Werror
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # false alarms on std::string + in g++ 12 (GCC bug 105651)
endif()
if(POSENC_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(posenc_options INTERFACE ${sanitizers})
  target_link_options(posenc_options INTERFACE ${sanitizers})
endif()
if(EMSCRIPTEN)
  target_compile_options(posenc_options INTERFACE -fwasm-exceptions -mbulk-memory)
  # memory.copy: without it, moving memory is a loop over bytes.
  target_link_options(posenc_options INTERFACE -fwasm-exceptions -mbulk-memory)
  # The whole program is optimised at once, and virtual functions that it never calls are left out: a module that does
  # not train carries no gradients.
  set(whole_program -flto -fvisibility=hidden -fwhole-program-vtables -fvirtual-function-elimination)
  target_compile_options(posenc_options INTERFACE "$<$<CONFIG:Release>:${whole_program}>")
  target_link_options(posenc_options INTERFACE $<$<CONFIG:Release>:-flto>)
  if(POSENC_SIMD)
    target_compile_options(posenc_options INTERFACE -msimd128)
  endif()
endif()
