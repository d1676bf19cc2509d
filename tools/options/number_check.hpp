#pragma once

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Makes every numeric option of the program reject text, out-of-range values and infinities. CLI11
/// alone reads -1 as the largest unsigned number and 010 as octal 8, and truncates values beyond 64
/// bits.
void check_numbers(CLI::App& app);

} // namespace keyswap::tools
