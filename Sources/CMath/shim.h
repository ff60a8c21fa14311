// Functions of the C library's <math.h>, so that modules without I/O need not import all of the C library.
double cos(double radians);
double erfc(double number);
double exp(double exponent);
double log(double number);
double log10(double number);
double pow(double base, double exponent);
