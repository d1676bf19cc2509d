#include "traces/errors/contracts.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace keyswap {

namespace {

std::atomic<ContractHandler> handler{nullptr};

} // namespace

void set_contract_handler(ContractHandler new_handler) {
    handler = new_handler;
}

void contract_failed(std::string_view kind,
                     std::string_view condition,
                     std::string_view file,
                     int line) {
    if (ContractHandler const call = handler) {
        call(std::string(kind) + " broken at " + std::string(file) + ":" + std::to_string(line) +
             ": " + std::string(condition));
    }
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
