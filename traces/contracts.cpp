#include "traces/contracts.hpp"

#include <cstdio>
#include <cstdlib>

namespace keyswap {

void contract_failed(std::string_view kind,
                     std::string_view condition,
                     std::string_view file,
                     int line) {
    std::fprintf(stderr,
                 "keyswap: %.*s broken at %.*s:%d: %.*s (an error in Keyswap; please report it)\n",
                 static_cast<int>(kind.size()),
                 kind.data(),
                 static_cast<int>(file.size()),
                 file.data(),
                 line,
                 static_cast<int>(condition.size()),
                 condition.data());
    std::abort();
}

} // namespace keyswap
