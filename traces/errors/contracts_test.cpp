#include "traces/errors/contracts.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace keyswap {
namespace {

int half_of(int even) {
    KEYSWAP_EXPECTS(even % 2 == 0);
    return even / 2;
}

TEST(ContractsDeathTest, ABrokenContractNamesItsConditionAndAborts) {
    EXPECT_EQ(half_of(6), 3);
    EXPECT_DEATH(static_cast<void>(half_of(7)), "precondition broken at .*even % 2 == 0");
}

TEST(Contracts, AHandlerIsCalledAndMayThrow) {
    set_contract_handler([](std::string const& message) { throw std::runtime_error(message); });
    try {
        static_cast<void>(half_of(7));
        ADD_FAILURE() << "nothing was thrown";
    } catch (std::runtime_error const& broken) {
        EXPECT_NE(std::string(broken.what()).find("even % 2 == 0"), std::string::npos);
    }
    set_contract_handler(nullptr);
}

} // namespace
} // namespace keyswap
