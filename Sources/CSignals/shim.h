#pragma once
// signalfd(2), which Swift's Glibc module leaves out.
#include <sys/signalfd.h>
