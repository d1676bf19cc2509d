#pragma once

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Makes every option of the program that takes numbers refuse what is none, what does not fit, and
/// infinities. CLI11 alone takes -1 for the largest number without a sign, 010 for 8, and cuts what
/// is larger than 64 bits.
void check_numbers(CLI::App& app);

} // namespace keyswap::tools
