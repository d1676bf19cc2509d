#pragma once

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Version: "0.1.0".
[[nodiscard]] std::string_view build_version();
/// Date of the latest version change: "2026-11-21".
[[nodiscard]] std::string_view build_release_date();
/// Commit of the build, with "-changed" if the working tree was dirty; empty outside of git.
[[nodiscard]] std::string_view build_commit();
/// Compiler: "GNU 12.2.0".
[[nodiscard]] std::string_view build_compiler();
/// CUDA version: "13.0.88", or "none".
[[nodiscard]] std::string_view build_cuda();
/// All of the above, as printed by `keyswap --version`.
[[nodiscard]] std::string build_description();
/// One line: "keyswap 0.1.0 (commit 6e3b00d4e808, GNU 12.2.0, without CUDA)"
[[nodiscard]] std::string build_sentence();

} // namespace keyswap::tools
