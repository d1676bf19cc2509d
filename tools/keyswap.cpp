#include "tools/command_line.hpp"

int main(int argc, char** argv) {
    return static_cast<int>(keyswap::tools::run(argc, argv));
}
