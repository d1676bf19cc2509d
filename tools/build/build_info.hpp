#pragma once

#include <string>
#include <string_view>

namespace keyswap::tools {

/// "0.1.0"
[[nodiscard]] std::string_view build_version();
/// "2026-11-21", the day on which the version was last raised.
[[nodiscard]] std::string_view build_release_date();
/// The commit that was built, with "-changed" where the tree had changes; empty outside of git.
[[nodiscard]] std::string_view build_commit();
/// "GNU 12.2.0"
[[nodiscard]] std::string_view build_compiler();
/// "13.0.88", or "none"
[[nodiscard]] std::string_view build_cuda();
/// All of it in the words of `keyswap --version`.
[[nodiscard]] std::string build_description();
/// "keyswap 0.1.0 (commit 6e3b00d4e808, GNU 12.2.0, without CUDA)"
[[nodiscard]] std::string build_sentence();

} // namespace keyswap::tools
