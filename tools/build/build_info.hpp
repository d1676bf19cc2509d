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
/// "CUDA 13.0.88", or "no CUDA"
[[nodiscard]] std::string_view build_cuda();
/// All of it in the words of `keyswap --version`.
[[nodiscard]] std::string build_description();

} // namespace keyswap::tools
