#pragma once

/// \file Shared parts of the fuzzers: failure, and a folder in memory.

#include "traces/errors/input_error.hpp"
#include "traces/errors/printable_text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace keyswap::fuzzing {

/// Aborts the fuzzer if its oracle does not hold.
inline void require(bool holds, std::string_view what) {
    if (!holds) {
        std::fprintf(
            stderr, "the oracle does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
        std::abort();
    }
}

/// Fragments of messages of libraries and of our own contracts.
inline constexpr std::array<std::string_view, 5> raw_messages{
    "json.exception", "basic_string", "vector::_M", "filesystem error", "error in Keyswap"};

/// Requires that an error has subject, problem and remedy, and contains no message of a library,
/// unless the input itself contains that text, raw or in printable form (escapes contain letters).
inline void require_message(InputError const& error, std::string_view input) {
    require(!error.subject.empty() && !error.problem.empty(),
            "an error names what is wrong with what");
    require(!error.remedy.empty(), "an error says what to do: " + error.message());
    std::string const shown = printable_text(input);
    for (std::string_view const raw : raw_messages) {
        require(error.message().find(raw) == std::string::npos ||
                    input.find(raw) != std::string::npos || shown.find(raw) != std::string::npos,
                "an error is in our words: " + error.message());
    }
}

inline std::string text_of(std::uint8_t const* data, std::size_t size) {
    return {reinterpret_cast<char const*>(data), size};
}

/// A private temporary folder on a file system in memory; removed by the destructor.
class MemoryFolder {
  public:
    MemoryFolder() {
        std::string name = "/dev/shm/keyswap-fuzz-XXXXXX";
        require(::mkdtemp(name.data()) != nullptr, "/dev/shm can be written");
        path_ = name;
    }
    MemoryFolder(MemoryFolder const&) = delete;
    MemoryFolder& operator=(MemoryFolder const&) = delete;
    ~MemoryFolder() {
        std::error_code code;
        std::filesystem::remove_all(path_, code);
    }

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    /// Writes a file and returns its path.
    [[nodiscard]] std::filesystem::path put(std::string const& name, std::string_view text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

} // namespace keyswap::fuzzing
