# SPDX-License-Identifier: BSD-2-Clause
#
#	find_package(sdtlink REQUIRED)
#	sdtlink_add_probes(kernel)
#	sdtlink_add_probes(drivers FLAGS --nop)
#	sdtlink_add_runtime(sdt)
#
# sdtlink_add_probes: a program or shared library is linked with its probes, and
# proved; the objects of a static library or an object library are injected when
# they are compiled. They find <sdtlink/sdt.h>. A library whose probes the link of
# the program takes needs only that: target_link_libraries(drivers PRIVATE
# sdtlink::headers). CMake 3.21 or later, and its generators for make or Ninja.
#
# sdtlink_add_runtime: a static library of the table's reader and the patcher for
# the machine of the compiler; or that which a second argument names, of aarch64,
# arm, loongarch, mips, ppc, riscv, s390x, sparc64 and x86.
include_guard()
if(CMAKE_VERSION VERSION_LESS 3.21)
	set(sdtlink_FOUND FALSE)
	set(sdtlink_NOT_FOUND_MESSAGE "it needs CMake 3.21: LINKER_LAUNCHER")
	return()
endif()
include(CheckCCompilerFlag)
# A tool of the machine that builds, whatever is built.
find_program(SDTLINK_EXECUTABLE sdtlink REQUIRED
	HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin
	NO_CMAKE_FIND_ROOT_PATH)
set(SDTLINK_RUNTIME_DIR ${CMAKE_CURRENT_LIST_DIR}/../../sdtlink/runtime
	CACHE PATH "The sources of sdtlink's runtime")
# It has nothing but sdtlink/ in it.
set(SDTLINK_INCLUDE_DIR ${CMAKE_CURRENT_LIST_DIR}/../../sdtlink/include
	CACHE PATH "The folder for #include <sdtlink/sdt.h>")
if(NOT TARGET sdtlink::headers)
	add_library(sdtlink::headers INTERFACE IMPORTED)
	target_include_directories(sdtlink::headers INTERFACE
		${SDTLINK_INCLUDE_DIR})
endif()

function(sdtlink_add_probes target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLAGS")
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "sdtlink_add_probes(${target}): unknown: "
			"${arg_UNPARSED_ARGUMENTS}; options of sdtlink stand "
			"after FLAGS")
	endif()
	get_target_property(type ${target} TYPE)
	if(type STREQUAL STATIC_LIBRARY OR type STREQUAL OBJECT_LIBRARY)
		set(mode --cc)
		set(step COMPILER)
	else()
		set(mode --link)
		set(step LINKER)
	endif()
	foreach(language C CXX)
		set(name ${language}_${step}_LAUNCHER)
		get_target_property(launcher ${target} ${name})
		if(NOT launcher)
			set(launcher)
		endif()
		set_property(TARGET ${target} PROPERTY ${name}
			${SDTLINK_EXECUTABLE} ${mode} ${arg_FLAGS} -- ${launcher})
	endforeach()
	target_include_directories(${target} PRIVATE ${SDTLINK_INCLUDE_DIR})
endfunction()

# The machine of the C compiler as the runtime's files call it, or nothing.
function(sdtlink_compiler_isa result)
	set(target)
	if(CMAKE_C_COMPILER_TARGET)
		set(target --target=${CMAKE_C_COMPILER_TARGET})
	endif()
	separate_arguments(flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
	execute_process(COMMAND ${CMAKE_C_COMPILER} ${target} ${flags} -dumpmachine
		OUTPUT_VARIABLE machine ERROR_QUIET)
	set(${result} "" PARENT_SCOPE)
	foreach(row "^(aarch64|arm64) aarch64" "^(arm([^6]|$)|thumb) arm"
			"^loongarch loongarch" "^mips mips" "^(powerpc|ppc) ppc"
			"^riscv riscv" "^s390x s390x" "^sparc(64|v9) sparc64"
			"^(x86_64|amd64|i.86) x86")
		string(REPLACE " " ";" row ${row})
		list(GET row 0 pattern)
		if(machine MATCHES ${pattern})
			list(GET row 1 isa)
			set(${result} ${isa} PARENT_SCOPE)
		endif()
	endforeach()
endfunction()

function(sdtlink_add_runtime target)
	set(isas aarch64 arm loongarch mips ppc riscv s390x sparc64 x86)
	set(early_flags_aarch64 -mgeneral-regs-only -mstrict-align)
	set(early_flags_arm -mgeneral-regs-only -mno-unaligned-access)
	set(early_flags_x86 -mgeneral-regs-only)
	sdtlink_compiler_isa(found)
	set(isa ${ARGV1})
	if(NOT isa)
		set(isa ${found})
	endif()
	if(NOT isa IN_LIST isas)
		list(JOIN isas ", " isas)
		message(FATAL_ERROR
			"sdtlink_add_runtime(${target} ISA): ISA must be one of ${isas}")
	elseif(found AND NOT found STREQUAL isa)
		message(FATAL_ERROR "sdtlink_add_runtime(${target} ${isa}): "
			"${CMAKE_C_COMPILER} compiles for ${found}")
	endif()
	set(sources sdt_table sdt_names sdt_match sdt_patch sdt_patch_${isa}
		sdt_control sdt_host_plain)
	list(TRANSFORM sources PREPEND ${SDTLINK_RUNTIME_DIR}/)
	list(TRANSFORM sources APPEND .c)
	add_library(${target} STATIC ${sources})
	target_compile_options(${target} PRIVATE
		-ffreestanding -fno-stack-protector)
	# It runs before the FPU is on, or memory is mapped. A compiler for a bare
	# machine may link nothing.
	set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
	set(CMAKE_REQUIRED_FLAGS -Werror)
	foreach(flag ${early_flags_${isa}})
		string(MAKE_C_IDENTIFIER SDTLINK_TAKES${flag} takes)
		check_c_compiler_flag(${flag} ${takes})
		if(${takes})
			target_compile_options(${target} PRIVATE ${flag})
		endif()
	endforeach()
	target_include_directories(${target} PUBLIC ${SDTLINK_RUNTIME_DIR}
		${SDTLINK_INCLUDE_DIR})
endfunction()
