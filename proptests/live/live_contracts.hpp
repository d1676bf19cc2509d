#pragma once

/// \file Turns violated contracts of the kernels into findings, so that their cases can be shrunk.

#include "traces/errors/contracts.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace keyswap::proptests {

/// Thrown for a violated contract of the kernels.
class ContractBroken final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// RAII: violated contracts throw ContractBroken.
class ContractsThrow {
  public:
    ContractsThrow() {
        set_contract_handler([](std::string const& message) { throw ContractBroken(message); });
    }
    ContractsThrow(ContractsThrow const&) = delete;
    ContractsThrow& operator=(ContractsThrow const&) = delete;
    ~ContractsThrow() { set_contract_handler(nullptr); }
};

/// The finding of `check`, or the message of the contract that it violates.
template <class Check>
[[nodiscard]] std::optional<std::string> finding_of(Check const& check) {
    ContractsThrow const contracts;
    try {
        return check();
    } catch (ContractBroken const& broken) {
        return broken.what();
    }
}

} // namespace keyswap::proptests
