#pragma once

/// \file Contracts for programming errors. They are active in every preset: a checker that can be
/// compiled out would prove nothing. User errors are returned as InputError instead.

#include <string>
#include <string_view>

namespace keyswap {

/// Called with the message of a broken contract before the program aborts. A test may throw from
/// it to turn the failure into a finding; objects unwound by the exception must not be used again.
using ContractHandler = void (*)(std::string const& message);
/// Null (the default) removes the handler. Thread-safe.
void set_contract_handler(ContractHandler handler);

/// Prints the condition, file and line to standard error and aborts.
[[noreturn]] void
contract_failed(std::string_view kind, std::string_view condition, std::string_view file, int line);

} // namespace keyswap

#define KEYSWAP_EXPECTS(condition)                                                                 \
    (static_cast<bool>(condition)                                                                  \
         ? static_cast<void>(0)                                                                    \
         : ::keyswap::contract_failed("precondition", #condition, __FILE__, __LINE__))

#define KEYSWAP_ENSURES(condition)                                                                 \
    (static_cast<bool>(condition)                                                                  \
         ? static_cast<void>(0)                                                                    \
         : ::keyswap::contract_failed("postcondition", #condition, __FILE__, __LINE__))
