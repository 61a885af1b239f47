# SPDX-License-Identifier: BSD-2-Clause
#
#	find_package(sdtlink REQUIRED)
#	sdtlink_add_probes(kernel)
#	sdtlink_add_probes(drivers FLAGS --nop)
#	sdtlink_add_runtime(sdt x86)
#
# sdtlink_add_probes: a program or shared library is linked with its probes, and
# proved; the objects of a static library or an object library are injected when
# they are compiled. CMake 3.21 or later, and its generators for make or Ninja.
#
# sdtlink_add_runtime: a static library of the table's reader and the patcher for
# aarch64, arm, loongarch, mips, ppc, riscv, s390x, sparc64 or x86.
include_guard()
if(CMAKE_VERSION VERSION_LESS 3.21)
	set(sdtlink_FOUND FALSE)
	set(sdtlink_NOT_FOUND_MESSAGE "it needs CMake 3.21: LINKER_LAUNCHER")
	return()
endif()
# A tool of the machine that builds, whatever is built.
find_program(SDTLINK_EXECUTABLE sdtlink REQUIRED
	HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin
	NO_CMAKE_FIND_ROOT_PATH)
set(SDTLINK_RUNTIME_DIR ${CMAKE_CURRENT_LIST_DIR}/../../sdtlink/runtime
	CACHE PATH "The sources of sdtlink's runtime")

function(sdtlink_add_probes target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLAGS")
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
endfunction()

function(sdtlink_add_runtime target isa)
	set(sources sdt_table sdt_names sdt_match sdt_patch sdt_patch_${isa}
		sdt_control sdt_host_plain)
	list(TRANSFORM sources PREPEND ${SDTLINK_RUNTIME_DIR}/)
	list(TRANSFORM sources APPEND .c)
	add_library(${target} STATIC ${sources})
	target_compile_options(${target} PRIVATE
		-ffreestanding -fno-stack-protector)
	target_include_directories(${target} PUBLIC ${SDTLINK_RUNTIME_DIR})
endfunction()
