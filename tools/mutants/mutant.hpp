#pragma once

/// \file Prepended to every file of a build for `tools/mutants/mutants`: mutants are next to the
/// code that they replace; KEYSWAP_MUTANT, read once per process, selects one. If
/// KEYSWAP_MUTANTS_REACHED names a file with a byte per mutant, the bytes of all executed mutants
/// are set in it, even if the process crashes.

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace keyswap::mutants {

inline constinit int active = 0; ///< 1, 2, ...; 0: original code
inline constinit unsigned char* reached = nullptr;

inline bool read_environment() {
    if (char const* const number = std::getenv("KEYSWAP_MUTANT")) {
        active = std::atoi(number);
    }
    if (char const* const name = std::getenv("KEYSWAP_MUTANTS_REACHED")) {
        int const file = ::open(name, O_RDWR | O_CLOEXEC);
        struct stat status {};
        if (file >= 0 && ::fstat(file, &status) == 0) {
            void* const bytes = ::mmap(nullptr,
                                       static_cast<std::size_t>(status.st_size),
                                       PROT_READ | PROT_WRITE,
                                       MAP_SHARED,
                                       file,
                                       0);
            reached = bytes == MAP_FAILED ? nullptr : static_cast<unsigned char*>(bytes);
        }
        ::close(file);
    }
    return true;
}
inline bool const environment_is_read = read_environment();

inline bool on(int id) {
    if (reached != nullptr) {
        reached[id] = 1;
    }
    return id == active;
}

/// Mutants in constexpr functions: compile-time evaluation uses the original code.
constexpr bool on_at_run_time(int id) {
    return !__builtin_is_constant_evaluated() && on(id);
}

} // namespace keyswap::mutants
