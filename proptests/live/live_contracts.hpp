#pragma once

/// \file Broken contracts of the kernels as findings, so that their cases can be shrunk.

#include "traces/errors/contracts.hpp"

#include <optional>
#include <stdexcept>
#include <string>

namespace keyswap::proptests {

/// A contract of the kernels that did not hold.
class ContractBroken final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Makes broken contracts exceptions while it lives.
class ContractsThrow {
  public:
    ContractsThrow() {
        set_contract_handler([](std::string const& message) { throw ContractBroken(message); });
    }
    ContractsThrow(ContractsThrow const&) = delete;
    ContractsThrow& operator=(ContractsThrow const&) = delete;
    ~ContractsThrow() { set_contract_handler(nullptr); }
};

/// What `check` finds, or the contract that it breaks.
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
