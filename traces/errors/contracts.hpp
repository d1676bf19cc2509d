#pragma once

/// \file Contracts for programmers' errors. They stay on in every preset: a checker that can be
/// compiled out would prove nothing. Users' errors are returned as InputError instead.

#include <string>
#include <string_view>

namespace keyswap {

/// Called with a broken contract before the program aborts. A test may throw from it: what broke
/// the contract is then a finding, and the objects in between are not to be used any more.
using ContractHandler = void (*)(std::string const& message);
/// Null (as at first): none.
void set_contract_handler(ContractHandler handler);

/// Prints the broken contract with its place to standard error and aborts.
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
